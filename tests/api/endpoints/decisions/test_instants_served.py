"""Access begins and ends at its very instant, whatever is asked: P4 on a real service whose clock stands still."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.support.clocks import SECOND, Machine, library
from tests.support.server import KEY, command, environment, started

pytestmark = pytest.mark.service

START, END = 2_000_000_000 * SECOND + SECOND // 2, 2_000_000_000 * SECOND + SECOND
STARTS_AT, EXPIRES_AT = "2033-05-18T03:33:20.5Z", "2033-05-18T03:33:21Z"
TINY: Final = 1_000
"""Nanoseconds that a double tells apart at such an instant."""

INSTANTS: Final = (
    (START - TINY, False, STARTS_AT),
    (START, True, EXPIRES_AT),
    (END - TINY, True, EXPIRES_AT),
    (END, False, None),
)
"""An instant of the clock, whether access is in force, and until when an answer is valid."""

HOLDERS: Final = ("role", "group-role", "grant", "group-grant")
NOTHING: Final = {"type": "const", "value": False}
SPAN: Final = {"starts_at": STARTS_AT, "expires_at": EXPIRES_AT}
D1: Final = {"type": "document", "id": "d1"}
MODEL: Final[dict[str, Any]] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read", "update"]}],
    "roles": [{"id": "reader"}],
    "groups": [{"id": name, "members": [{"type": "user", "id": name}]} for name in ("group-role", "group-grant")],
    "resources": [D1],
    "assignments": [
        {"role": "reader", "subject": {"type": "user", "id": "role"}, **SPAN},
        {"role": "reader", "group": "group-role", **SPAN},
    ],
    "grants": [
        {"id": "g1", "subject": {"type": "user", "id": "grant"}, "resource": D1, "actions": ["read"], **SPAN},
        {"id": "g2", "group": "group-grant", "resource": D1, "actions": ["read"], **SPAN},
    ],
    "policies": [
        {
            "id": "readers",
            "effect": "ALLOW",
            "roles": ["reader"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        }
    ],
}


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    folder = tmp_path_factory.mktemp("clocks")
    made = Machine(library(folder), folder / "clocks")
    made.stand_at(START - SECOND)
    return made


@pytest.fixture(scope="module")
def http(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("instants")
    line = machine.within(command("serve", "--data", str(folder / "data"), "--bind", "127.0.0.1:0", "--workers", "1"))
    variables = environment({"WRIT_ADMIN_KEY": KEY})
    with started(line, variables, folder / "log", folder) as server, server.client() as client:
        client.put("/v1/environments/default/model", json=MODEL).raise_for_status()
        yield client


def asked(http: httpx.Client, path: str, holder: str, **changed: Any) -> dict[str, Any]:
    """The answer to a question about a holder."""
    body = {"subject": {"type": "user", "id": holder}, "action": {"name": "read"}, "resource": D1, **changed}
    answer = http.post(f"/access/v1/{path}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def found_in(answer: dict[str, Any]) -> list[str]:
    """The ids or names of the results of a search."""
    return [one.get("id") or one["name"] for one in answer["results"]]


def test_access_is_in_force_from_its_start_until_before_its_end(http: httpx.Client, machine: Machine) -> None:
    for instant, holds, until in INSTANTS:
        machine.stand_at(instant)
        for holder in HOLDERS:
            where = holder, instant - START
            told = {"valid_until": True}
            decided = asked(http, "evaluation", holder, options=told)
            assert (decided["decision"], decided["context"]["valid_until"]) == (holds, until), where
            assert asked(http, "evaluation", holder)["decision"] is holds, where
            items = asked(http, "evaluations", holder, evaluations=[{}, {"action": {"name": "update"}}])["evaluations"]
            assert [one["decision"] for one in items] == [holds, False], where
            every = {"type": "document"}
            assert found_in(asked(http, "search/resource", holder, resource=every)) == ["d1"] * holds, where
            assert found_in(asked(http, "search/action", holder)) == ["read"] * holds, where
            wanted = {"return": "filter", "gates": "decide", "include_direct": True}
            filtered = asked(http, "search/resource", holder, resource=every, options=wanted)
            assert (filtered["filter"] != NOTHING, filtered["context"]["valid_until"]) == (holds, until), where
        users = asked(http, "search/subject", "-", subject={"type": "user"})
        assert found_in(users) == sorted(HOLDERS) * holds, instant - START
