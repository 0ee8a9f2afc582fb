"""What it takes to say who gains and who loses: `python -m tests.bench.people [--policies N] [--subjects N]`.

Two models of a company differ in as many policies as `--changed` says: a third of these has another condition, a third
other roles, and a third another effect. One assignment in a hundred is dropped too. The figures are processor time: of
`writ diff --people` on two documents, and of its parts. In the analysis alone, both models are checked and compiled.
"""

import argparse
import copy
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from writ.api.engines.work.gc_pause import without_gc
from writ.bundles import zones
from writ.compiler.analysis.compare import Comparison

from tests.bench.models import company
from tests.support.analysing import prepared

Document = dict[str, Any]
SIZES = ((1_000, 100, 10_000), (10_000, 100, 100_000))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policies", type=int)
    parser.add_argument("--changed", type=int, default=100)
    parser.add_argument("--subjects", type=int, default=10_000)
    asked = parser.parse_args()
    sizes = SIZES if asked.policies is None else ((asked.policies, asked.changed, asked.subjects),)
    for policies, changed, subjects in sizes:
        measure(policies, changed, subjects)


def measure(policies: int, changed: int, subjects: int) -> None:
    """Print the figures of one size."""
    before = populated(company(policies), subjects)
    after = with_changes(before, changed)
    print(f"{policies:,} policies, {changed:,} changed, {subjects:,} subjects", flush=True)
    with without_gc():  # as the command does
        begun = time.process_time()
        (old, judge_old), (new, judge_new) = (prepared(document, as_bundle=False) for document in (before, after))
        ready = time.process_time()
        found = Comparison(old, new, (judge_old, judge_new), zones.installed_zone).run()
        done = time.process_time()
    print(f"  {len(found.gains):,} gains, {len(found.loses):,} losses, {len(found.unknown):,} unknown")
    print(
        f"  analysis {done - ready:.2f} s: {(done - ready) / (ready - begun):.1f} times as long as to read and compile"
    )
    print(f"  reading and compiling both models {ready - begun:.2f} s", flush=True)
    print(f"  writ diff --people {command_seconds(before, after):.2f} s")


def command_seconds(before: Document, after: Document) -> float:
    """The processor seconds of `writ diff --people` on two documents, in another process."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("old.json", "new.json")]
        for path, document in zip(paths, (before, after), strict=True):
            path.write_text(json.dumps({"model": 1} | document))
        begun = _of_children()
        command = [sys.executable, "-m", "writ", "diff", "--people", *map(str, paths)]
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        if ended.returncode != 1:  # the models differ
            raise RuntimeError(f"writ diff ended with {ended.returncode}")
        return _of_children() - begun


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def populated(document: Document, subjects: int) -> Document:
    """The document with more people: each is in a group and holds a role, as the others do."""
    teams = [group for group in document["groups"] if group["id"].endswith("_team")]
    roles = [role["id"] for role in document["roles"]]
    known = sum("group" not in member for group in document["groups"] for member in group.get("members", []))
    for number in range(max(0, subjects - known)):
        person = {"type": "user", "id": f"person-{number}"}
        teams[number % len(teams)].setdefault("members", []).append(person)
        if number % 10 == 0:
            document["assignments"].append({"role": roles[number // 10 % len(roles)], "subject": person})
    return document


def with_changes(document: Document, changed: int) -> Document:
    """The document with so many policies changed, evenly spread, and every hundredth assignment dropped."""
    found = copy.deepcopy(document)
    policies = found["policies"]
    for number, place in enumerate(range(0, len(policies), max(1, len(policies) // changed))):
        policy = policies[place]
        if number % 3 == 0:
            conditions = policy.setdefault("conditions", {}).setdefault("resource_attrs", [])
            conditions.append({"key": "status", "op": "ne", "value": "archived"})
        elif number % 3 == 1 and "roles" in policy:
            policy["roles"] = sorted({*policy["roles"], "auditor"})
        elif "rate_limit" not in policy.get("conditions", {}):
            policy["effect"] = "ALLOW" if policy["effect"] == "DENY" else "DENY"
    found["assignments"] = [one for number, one in enumerate(found["assignments"]) if number % 100 != 99]
    return found


if __name__ == "__main__":
    main()
