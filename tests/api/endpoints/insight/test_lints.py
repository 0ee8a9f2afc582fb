"""`GET …/lints`: the warnings about the stored model, remembered by revision and for an hour."""

import asyncio
import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from writ.api.endpoints.insight import linting
from writ.api.endpoints.insight.linting import LintRequest
from writ.api.endpoints.insight.lints import REMEMBERED_SECONDS
from writ.api.engines.jobs.job import JobCall
from writ.api.engines.jobs.runner import Jobs
from writ.api.engines.jobs.starting import TEMPLATE
from writ.api.store.actor import COMMAND_LINE
from writ.api.store.errors import NotFound
from writ.compiler.source import Source

from tests.support.clock import Clock
from tests.support.managed import ROOT, Managed

pytestmark = pytest.mark.service

LINTS = f"{ROOT}/lints"
NOW = 1_800_000_000.0
"""2027-01-15T08:00:00Z."""

SCOPE = {"resource_types": [{"resource_type_id": "doc", "actions": ["read"]}]}
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "doc", "actions": ["read"]}],
    "roles": [{"id": "r"}],
    "policies": [
        {"id": "all", "effect": "ALLOW", "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}]},
        {
            "id": "r",
            "effect": "ALLOW",
            "roles": ["r"],
            "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}],
        },
    ],
    "assignments": [
        {"id": "a", "role": "r", "subject": {"type": "u", "id": "x"}, "expires_at": "2027-01-15T08:30:00Z"},
    ],
    "subjects": [{"type": "u", "id": "x"}],
}
TODAY = [("allow-everyone", {"id": "all"}), ("redundant-policy", {"id": "r"})]


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def served(tmp_path: Path, clock: Clock) -> Managed:
    client = Managed(tmp_path, clock=clock)
    stored(client, MODEL)
    return client


def stored(client: Managed, model: dict[str, Any]) -> None:
    client.store.put_model("default", COMMAND_LINE, (Source("m.json", json.dumps(model).encode()),))


def listed(client: Managed) -> list[tuple[str, dict[str, str] | None]]:
    answer = client.simulate_get(LINTS)
    assert answer.status_code == 200, answer.text
    return [(one["code"], one["key"]) for one in answer.json["items"]]


def test_the_warnings_name_their_elements(served: Managed) -> None:
    found = served.simulate_get(LINTS).json
    assert (found["revision"], found["truncated"]) == (1, False)
    assert found["items"][0] == {
        "code": "allow-everyone",
        "severity": "warning",
        "message": "the ALLOW `all` has neither roles nor conditions, so it applies to everyone",
        "kind": "policies",
        "key": {"id": "all"},
        "path": "$.effect",
        "help": "give it `roles` or a condition; if you mean everyone, add a condition on the subject's `type`",
    }
    assert [(one["code"], one["key"]) for one in found["items"]] == TODAY


def test_they_are_remembered_until_the_model_changes(served: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []
    start = TEMPLATE.send

    def counting(*arguments: Any) -> None:
        started.append(arguments)
        start(*arguments)

    monkeypatch.setattr(TEMPLATE, "send", counting)
    for _ in range(3):
        assert listed(served) == TODAY
    assert len(started) == 1
    assert served.simulate_delete(f"{ROOT}/policies/all").status_code == 204
    assert listed(served) == []
    assert served.simulate_get(LINTS).json["revision"] == 2
    assert len(started) == 2


def test_a_mark_without_the_setting_is_a_warning_until_the_setting_is_there(served: Managed) -> None:
    """E11. A change of the settings is a revision, so the warnings are looked for again."""
    route = {
        "id": "r",
        "methods": ["GET"],
        "path": "/{id}",
        "resource_type": "doc",
        "action": "read",
        "anonymous": True,
    }
    stored(served, MODEL | {"routes": [route]})
    warned = [*TODAY, ("idle-anonymous", {"id": "r"})]
    assert sorted(listed(served), key=str) == sorted(warned, key=str)
    settings = {"subject": {"header": "X-User"}, "trusted_proxies": ["127.0.0.1"]}
    assert served.simulate_put(f"{ROOT}/gateway", json=settings).status_code == 200
    assert ("idle-anonymous", {"id": "r"}) in listed(served)
    named = settings | {"anonymous": {"type": "visitor", "id": "anyone"}}
    assert served.simulate_put(f"{ROOT}/gateway", json=named).status_code == 200
    assert listed(served) == TODAY


def test_what_expires_is_found_within_the_hour(served: Managed, clock: Clock) -> None:
    assert listed(served) == TODAY
    clock.now += REMEMBERED_SECONDS - 1
    assert listed(served) == TODAY, "remembered"
    clock.now += 2
    assert ("expired", {"id": "a"}) in listed(served)


def test_a_silence_that_names_a_subject_is_not_unknown(served: Managed) -> None:
    """Only for such a silence, the subjects are read."""
    silence = {"code": "expired", "reason": "a test", "on": ["x"]}
    stored(served, MODEL | {"lints": [silence]})
    assert "unknown-silenced" not in {code for code, _ in listed(served)}
    stored(served, MODEL | {"lints": [silence | {"on": ["nobody"]}]})
    assert "unknown-silenced" in {code for code, _ in listed(served)}


def test_many_warnings_are_cut(served: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linting, "_LIMITS", replace(linting._LIMITS, diagnostics=1))
    uuid = served.store.environment("default").uuid
    call = JobCall(served.store, LintRequest("default", uuid, NOW), BytesIO(), lambda *_: None)
    answer = json.loads(bytes(linting.find_lints(call).answer))
    assert (len(answer["items"]), answer["truncated"]) == (1, True)


def test_another_environment_of_the_same_id_is_not_looked_at(served: Managed) -> None:
    jobs = Jobs(served.store.path.parent)
    with pytest.raises(NotFound):
        asyncio.run(jobs.run(linting.LINTS, LintRequest("default", "another", NOW)))
    with pytest.raises(NotFound):
        asyncio.run(jobs.run(linting.LINTS, LintRequest("none", "another", NOW)))


def test_a_parameter_and_an_unknown_environment_are_refused(served: Managed) -> None:
    assert served.simulate_get(f"{LINTS}?limit=1").status_code == 400
    assert served.simulate_get("/v1/environments/none/lints").status_code == 404
