"""What each page of the console asks for, with 100,000 subjects: `python -m tests.bench.console_pages`.

It counts the calls and their bytes in a real browser, on SQLite. It measures no time.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.support.console import Desk, chromium, desk
from tests.support.server import Server, running

SUBJECTS: Final = 100_000
GROUPS: Final = 1_000
PAGES: Final = (
    *("overview", "matrix?type=document", "review/subject/user/u000007", "ending"),
    *("policies", "roles", "groups", "subjects", "subjects/user/u000007", "resource-types", "resources"),
    *("assignments", "grants", "routes", "attributes", "extensions", "tests"),
    *("history", "promotion", "environments", "clients", "sessions", "audit"),
)


def model(subjects: int) -> dict[str, Any]:
    """A model in which each subject has a name and a group, and each group a role."""
    people = [{"type": "user", "id": f"u{at:06}"} for at in range(subjects)]
    scope = [{"resource_type_id": "document", "actions": ["read"]}]
    page = {"type": "document", "id": "d1"}
    return {
        "model": 1,
        "resource_types": [{"id": "document", "actions": ["read", "edit"]}],
        "roles": [{"id": "reader", "name": "Reader"}],
        "groups": [{"id": f"g{at}", "name": f"Team {at}", "members": people[at::GROUPS]} for at in range(GROUPS)],
        "subjects": [one | {"attributes": {"name": f"Person {at}"}} for at, one in enumerate(people)],
        "resources": [{"type": "document", "id": f"d{at}", "name": f"Paper {at}"} for at in range(1_000)],
        "assignments": [{"role": "reader", "group": f"g{at}"} for at in range(GROUPS)],
        "grants": [{"subject": one, "resource": page, "actions": ["edit"]} for one in people[:1_000]],
        "policies": [{"id": "read", "effect": "ALLOW", "roles": ["reader"], "resource_types": scope}],
    }


class Traffic:
    """The calls of the API that a window makes, and their bytes as they come over the network."""

    def __init__(self, found: Desk) -> None:
        self.calls, self.bytes, self._asked = 0, 0, set[str]()
        session = found.page.context.new_cdp_session(found.page)
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.loadingFinished", self._finished)

    def _sent(self, event: Any) -> None:
        if "/v1/" in event["request"]["url"]:
            self._asked.add(event["requestId"])
            self.calls += 1

    def _finished(self, event: Any) -> None:
        if event["requestId"] in self._asked:
            self.bytes += int(event["encodedDataLength"])


def count_pages(found: Desk, pages: Sequence[str]) -> None:
    """Print a row for each page."""
    traffic = Traffic(found)
    print("| Page | Calls | Bytes |\n|---|---|---|")
    for page in pages:
        before = traffic.calls, traffic.bytes
        found.go(f"#/default/{page}")
        found.page.wait_for_timeout(300)  # what a page asks for once it is drawn begins after it has settled
        found.settle()
        print(f"| `{page}` | {traffic.calls - before[0]} | {traffic.bytes - before[1]:,} |", flush=True)


def fill(server: Server, subjects: int) -> None:
    """Write the model, in one revision."""
    with server.client() as api:
        api.put("/v1/environments/default/model", json=model(subjects), timeout=600).raise_for_status()


def main(given: Sequence[str] | None = None) -> None:
    """Run the command."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.console_pages", description=__doc__)
    options.add_argument("--subjects", type=int, default=SUBJECTS)
    asked = options.parse_args(given)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "data") as server, chromium() as browser:
        fill(server, asked.subjects)
        with desk(browser, server) as found:
            found.sign_in()
            found.settle()
            count_pages(found, PAGES)


if __name__ == "__main__":
    main()
