"""Until `valid_until` the clock gives the same answer, and then another one: beside the oracle, at every edge."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from writ.bundles.conditions.instants import read_instant, seconds_not_before
from writ.runtime import BadRequest
from writ.runtime.decisions import validity
from writ.runtime.engine import Engine

from tests.support import oracle
from tests.support.bundling import engine_for
from tests.support.strategies import cases, seeded_case

ASK = {"options": {"valid_until": True}}
SCOPE = {"resource_types": [{"resource_type_id": "d", "actions": ["read"]}]}
NOW = 1_767_607_200  # 2026-01-05T10:00:00Z, a Monday
LATER = (1, 60, 3_600, 86_400, 7 * 86_400, 400 * 86_400)
REQUEST = {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d", "id": "x"}}


def until(engine: Engine, request: dict[str, Any], now: float) -> float | None:
    """The instant in the answer, whose other members are those of the answer without the option."""
    answer = engine.decide(request | ASK, now)
    end = answer["context"].pop("valid_until")
    assert answer == engine.decide(request, now)
    return None if end is None else seconds_not_before(read_instant(end))  # type: ignore[arg-type]


def has_rate_limits(document: dict[str, Any]) -> bool:
    return any("rate_limit" in one.get("conditions", {}) for one in document.get("policies", []))


def check(engine: Engine, document: dict[str, Any], request: dict[str, Any], now: float) -> None:
    first, end = oracle.decide(document, request, now), until(engine, request, now)
    for seconds in LATER:
        if end is None or now + seconds < end:
            assert oracle.decide(document, request, now + seconds) == first
    if end is None or has_rate_limits(document):
        return
    assert end > now
    before = math.nextafter(end, now)
    if before > now:
        assert oracle.decide(document, request, before) == first
    changed = engine.decide(request, end) != engine.decide(request, now)
    assert changed or "time_window" in str(document), "only windows that take turns may reach the limit of tries"


@settings(max_examples=25, deadline=None)
@given(case=cases())
def test_an_answer_is_valid_until_the_oracle_gives_another(case: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    document, request, now = case
    check(engine_for(document, tmp_path_factory.mktemp("v") / "model.bundle"), document, request, now)


@pytest.mark.parametrize("block", range(3))
def test_it_is_so_on_cases_that_never_change(block: int, tmp_path: Any) -> None:
    for seed in range(block * 60, block * 60 + 60):
        document, request, now = seeded_case(seed)
        check(engine_for(document, tmp_path / f"{seed}.bundle"), document, request, now)


def model(*policies: dict[str, Any], **more: Any) -> dict[str, Any]:
    numbered = [{"id": f"p{n}", "effect": "ALLOW", **SCOPE, **policy} for n, policy in enumerate(policies)]
    types = [{"id": "d", "actions": ["read"]}]
    return {"model": 1, "resource_types": types, "roles": [{"id": "r"}], "policies": numbered, **more}


def shown(tmp_path: Any, document: dict[str, Any], request: dict[str, Any] = REQUEST, now: float = NOW) -> Any:
    engine = engine_for(document, tmp_path / "m.bundle")
    return engine.decide(request | ASK, now)["context"]["valid_until"]


HOURS = {"conditions": {"time_window": {"start": "09:00", "end": "17:00"}}}
FOR_R = {"roles": ["r"]}
HELD = {"role": "r", "subject": REQUEST["subject"]}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (model({}), None),
        (model(HOURS), "2026-01-05T17:00:00Z"),
        (model(HOURS, {}), "2026-01-05T17:00:00Z"),  # from then on, another policy is reported
        (model({"priority": 5}, HOURS), None),
        (model(FOR_R, assignments=[HELD | {"expires_at": "2026-02-01T00:00:00.25Z"}]), "2026-02-01T00:00:00.25Z"),
        (model(FOR_R, assignments=[HELD | {"starts_at": "2026-02-01T00:00:00Z"}]), "2026-02-01T00:00:00Z"),
        (
            model(
                grants=[
                    {
                        "subject": REQUEST["subject"],
                        "resource": REQUEST["resource"],
                        "actions": ["read"],
                        "expires_at": "2026-03-01T00:00:00Z",
                    }
                ]
            ),
            "2026-03-01T00:00:00Z",
        ),
        (model({"conditions": {"rate_limit": {"limit": 1, "window_seconds": 1}}}), "2026-01-05T10:00:00Z"),
    ],
)
def test_the_instant_is_exact(tmp_path: Any, document: dict[str, Any], expected: str | None) -> None:
    assert shown(tmp_path, document) == expected


def test_a_time_of_the_request_makes_windows_constant(tmp_path: Any) -> None:
    request = REQUEST | {"context": {"time": "2026-01-05T10:00:00Z"}}
    assert shown(tmp_path, model(HOURS), request) is None


def test_another_grant_or_role_of_the_same_worth_changes_nothing(tmp_path: Any) -> None:
    spans = [{"expires_at": "2026-02-01T00:00:00Z"}, {}]
    document = model(FOR_R, assignments=[HELD | span for span in spans])
    assert shown(tmp_path, document) is None


def test_after_many_changes_the_last_one_counts(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A role that comes and goes, and whose policy is never the one that is reported."""
    monkeypatch.setattr(validity, "TRIED_INSTANTS", 2)
    spans = [(day, day + 1) for day in (5, 7, 9)]
    days = [
        {"starts_at": f"2026-01-{one:02}T00:00:00Z", "expires_at": f"2026-01-{end:02}T00:00:00Z"} for one, end in spans
    ]
    document = model(FOR_R, {"priority": 5}, assignments=[HELD | span for span in days])
    assert shown(tmp_path, document) == "2026-01-07T00:00:00Z"


def test_the_option_is_a_flag(tmp_path: Any) -> None:
    engine = engine_for(model({}), tmp_path / "m.bundle")
    with pytest.raises(BadRequest):
        engine.decide(REQUEST | {"options": {"valid_until": "yes"}}, NOW)
    for options in ({}, {"valid_until": False}, {"valid_until": None}):
        assert "valid_until" not in engine.decide(REQUEST | {"options": options}, NOW)["context"]
