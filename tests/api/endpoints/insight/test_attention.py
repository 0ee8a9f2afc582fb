"""`GET …/attention`: the counts of what needs attention, and the denials that rose as far as the log is read back."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from writ.api.endpoints.insight.attention_counts import AttentionCounts
from writ.api.telemetry.decision_log import denials
from writ.api.telemetry.decision_log.denials import counted_denials
from writ.bundles.conditions.instants import SECOND, show_seconds

from tests.support.clock import Clock
from tests.support.managed import ROOT, Managed

NOW, HOUR = 1_800_000_000.0, 3_600
WHERE = f"{ROOT}/attention"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Managed]:
    clock = Clock(NOW - 24 * HOUR)  # the environment is a day old
    client = Managed(tmp_path, clock=clock)
    clock.now = NOW
    yield client
    client.store.close()


def test_an_administrator_sees_all_counts_and_others_those_of_the_model(served: Managed) -> None:
    found = served.simulate_get(WHERE)
    model = {"at": show_seconds(NOW), "ending": 0, "ended": 0, "edited": None, "source": None}
    unread = found.json["administration"]["denials"]["unread"]
    assert "`--decision-log`" in unread
    assert found.json == model | {
        "administration": {
            "waiting": 0,
            "clients": {"unused": 0, "ending": 0},
            "api_keys": {"unused": 0, "ending": 0, "expired": 0},
            "denials": {
                **dict.fromkeys(("last_hour", "hour_before", "rose", "known_since")),
                "is_cut": False,
                "at_this_server": False,
                "unread": unread,
            },
        }
    }
    for scope, status in (("decide", 403), ("read", 200), ("write", 200)):
        key = served.simulate_post("/v1/api-keys", json={"name": "k", "scopes": [scope]}).json["key"]
        seen = served.simulate_get(WHERE, headers={"Authorization": f"Bearer {key}"})
        assert seen.status_code == status
        assert status == 403 or seen.json == model | {"administration": None}
    assert served.simulate_get(f"{WHERE}?within=7d").status_code == 400
    assert served.simulate_get("/v1/environments/nowhere/attention").status_code == 404


@pytest.mark.parametrize("path", ["/v1/clients", "/v1/api-keys"])
def test_lists_of_credentials_have_a_state(served: Managed, path: str) -> None:
    for name in ("a", "b"):
        served.simulate_post(path, json={"name": name, "scopes": ["read"]})
    for query in ("state=unused", "state=ending", "state=unused&q=a"):
        assert served.simulate_get(f"{path}?{query}").json == {"items": [], "next_cursor": None}
    assert served.simulate_get(f"{path}?state=lost").status_code == 400
    assert served.simulate_get(f"{path}?state=expired").status_code == (200 if "keys" in path else 400)


def record(at: float, allowed: bool = False, environment: str = "default") -> str:
    code = "ALLOWED" if allowed else "NO_POLICY_MATCH"
    more = {"environment": environment, "kind": "evaluation", "answer": {"decision": allowed}, "reason_code": code}
    return json.dumps({"time": show_seconds(at), "decision_id": "d"} | more, separators=(",", ":")) + "\n"


def counted(file: Path) -> tuple[Any, ...]:
    last, before, since, is_cut = counted_denials(file, "default", 0, int(NOW) * SECOND, HOUR * SECOND)
    return last, before, since and since // SECOND - int(NOW), is_cut


def test_denials_are_compared_with_an_hour_that_the_log_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "log"
    assert counted(file) == (0, None, None, False)
    file.write_text("no record\n")
    assert counted(file) == (0, None, None, False)
    hour = [record(NOW - 2 * HOUR, environment="other"), record(NOW - HOUR - 1), record(NOW - HOUR), record(NOW, True)]
    file.write_text("no record\n" + "".join(hour) + record(NOW) + record(NOW)[:-1])
    assert counted(file) == (2, 1, -2 * HOUR, False)
    file.write_text("".join(hour[1:]))
    assert counted(file) == (1, None, -HOUR - 1, False), "the hour before is not known whole"
    file.write_text(record(NOW - 9 * HOUR) + record(NOW - 3 * HOUR) + "".join(hour))
    assert counted(file) == (1, 1, -3 * HOUR, False), "what is older is not read"
    monkeypatch.setattr(denials, "MOST_TAIL_BYTES", 100)
    assert counted(file)[3]


@pytest.mark.parametrize(("last", "before", "rose"), [(10, 5, True), (10, 6, False), (9, 0, False), (10, 0, True)])
def test_denials_rise_by_a_rule(served: Managed, tmp_path: Path, last: int, before: int, rose: bool) -> None:
    file = tmp_path / "log"
    begin = record(NOW - 3 * HOUR, True)
    file.write_text(begin + record(NOW - HOUR - 60) * before + record(NOW - 60) * last)
    work: Any = type("Work", (), {"store": served.store, "now": lambda _: NOW})()
    log: Any = type("Log", (), {"file": file})
    found = json.loads(AttentionCounts(work, log, True)._counted("default", True, None))
    assert found["administration"]["denials"] == {
        "last_hour": last,
        "hour_before": before,
        "rose": rose,
        "known_since": show_seconds(NOW - 3 * HOUR),
        "is_cut": False,
        "at_this_server": True,
        "unread": None,
    }
