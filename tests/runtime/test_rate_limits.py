"""Decisions with counters: what counts, for whom, and what a denial says (C10, D4, D10)."""

import multiprocessing
import threading
from pathlib import Path
from typing import Any

import pytest
import writ
from writ.bundles.event_loop import TakesLong
from writ.bundles.file.reader import open_bundle
from writ.runtime import BadRequest, Engine, RateCounters
from writ.runtime.rules import attribute_index

from tests.support import oracle
from tests.support.bundling import bundle_file, compiled
from tests.support.deltas import delta_between
from tests.support.event_loops import as_event_loop
from tests.support.oracle_rates import Counters, by_slots
from tests.support.strategies import document as a_document
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request as a_request

NOW = 1_780_000_000.0
Row = dict[str, Any]
READ = [{"resource_type_id": "document", "actions": ["read"]}]
TYPES = [{"id": "document", "actions": ["read", "write"]}, {"id": "vault", "actions": ["open"], "closed": True}]


def policy(
    id: str = "p", limit: int | None = 2, window: int = 60, effect: str = "ALLOW", **more: Any
) -> dict[str, Any]:
    conditions = {} if limit is None else {"rate_limit": {"limit": limit, "window_seconds": window}}
    conditions |= more.pop("conditions", {})
    return {"id": id, "effect": effect, "resource_types": READ, "conditions": conditions, **more}


def question(subject: str | dict[str, str] = "alice", **more: Any) -> dict[str, Any]:
    named = {"id": subject} if isinstance(subject, str) else subject
    return {
        "subject": {"type": "user", **named},
        "action": {"name": "read"},
        "resource": {"type": "document", "id": "d1"},
        **more,
    }


def engine_of(path: Path, *policies: dict[str, Any], **more: Any) -> Engine:
    document = {"resource_types": TYPES, "policies": list(policies)} | more
    return Engine.open(bundle_file(document, path / "model.bundle"), clock=lambda: NOW, counters=RateCounters())


def reasons(engine: Engine, times: int, **more: Any) -> list[str]:
    return [engine.decide(question(**more))["context"]["reason_code"] for _ in range(times)]


def test_an_engine_counts_up_to_the_limit_and_says_when_to_come_back(tmp_path):
    """C10, D4."""
    engine = engine_of(tmp_path, policy(name="Readers"))
    answers = [engine.decide(question(), NOW + second)["context"] for second in (0, 10, 20)]
    assert [answer["reason_code"] for answer in answers] == ["ALLOWED", "ALLOWED", "CONDITION_FAILED"]
    assert answers[2]["reason"] == "the rate limit of policy `Readers` (`p`) is reached"
    wait = answers[2]["retry_after_seconds"]
    assert 40 <= wait <= 44, "60 seconds after the first, and a slot later at most"
    assert type(wait) is int
    assert engine.decide(question(), NOW + 20 + wait - 1)["decision"] is False
    assert engine.decide(question(), NOW + 20 + wait)["decision"] is True


def test_each_subject_and_each_policy_has_a_limit_of_its_own(tmp_path):
    engine = engine_of(tmp_path, policy("p", limit=1), policy("q", limit=2))
    found = [engine.decide(question())["context"] for _ in range(4)]
    assert [context.get("policy_id") for context in found] == ["p", "q", None, None]
    assert found[2]["reason"].endswith(", and the conditions of 1 more do not hold")
    assert reasons(engine, 3, subject="bob") == ["ALLOWED", "ALLOWED", "CONDITION_FAILED"]


def test_the_wait_is_that_of_the_policy_that_allows_first(tmp_path):
    engine = engine_of(tmp_path, policy("p", limit=1, window=3_600, priority=5), policy("q", limit=1, window=10))
    engine.decide(question())
    context = engine.decide(question())["context"]
    assert context["retry_after_seconds"] <= 11
    assert context["reason"].startswith("the rate limit of policy `q` is reached")


def test_a_denial_for_another_reason_has_no_wait(tmp_path):
    asks_mfa = {"context_attrs": [{"key": "mfa", "op": "eq", "value": True}]}
    engine = engine_of(tmp_path, policy(conditions=asks_mfa), policy("d", None, effect="DENY", conditions=asks_mfa))
    assert "retry_after_seconds" not in engine.decide(question())["context"]
    for _ in range(3):
        assert "retry_after_seconds" not in engine.decide(question(context={"mfa": True}))["context"]


def test_an_evaluation_whose_other_conditions_fail_does_not_count(tmp_path):
    draft = {"resource_attrs": [{"key": "status", "op": "eq", "value": "draft"}]}
    engine = engine_of(tmp_path, policy(conditions=draft))
    assert reasons(engine, 5) == ["CONDITION_FAILED"] * 5
    drafts = question(resource={"type": "document", "id": "d1", "properties": {"status": "draft"}})
    assert [engine.decide(drafts)["decision"] for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize("also", [policy("d", None, effect="DENY"), policy("a", None, priority=9)])
def test_an_evaluation_counts_whatever_else_decides(also, tmp_path):
    """A DENY or a better ALLOW decides, and the limited ALLOW counts nevertheless."""
    switched = also["conditions"] | {"context_attrs": [{"key": "on", "op": "eq", "value": True}]}
    engine = engine_of(tmp_path, policy(), also | {"conditions": switched})
    for _ in range(2):
        context = engine.decide(question(context={"on": True}))["context"]
        assert context.get("policy_id", context.get("denied_by")) == also["id"]
    assert engine.decide(question())["context"]["retry_after_seconds"] >= 1


def test_a_grant_decides_and_the_evaluation_counts(tmp_path):
    """D8: a direct grant is reported first."""
    grants = [{"id": "g", "subject": {"type": "user", "id": "alice"}, "actions": ["read"]}]
    grants[0]["resource"] = {"type": "document", "id": "d1"}
    engine = engine_of(tmp_path, policy(), grants=grants)
    assert [engine.decide(question())["context"]["policy_id"] for _ in range(2)] == ["g", "g"]
    other = question(resource={"type": "document", "id": "d2"})
    assert engine.decide(other)["context"]["retry_after_seconds"] >= 1


def test_a_limit_reached_beside_a_deny_is_an_explicit_deny(tmp_path):
    """D1, D2."""
    engine = engine_of(tmp_path, policy(), policy("d", None, effect="DENY"))
    assert reasons(engine, 3) == ["DENY_OVERRIDE", "DENY_OVERRIDE", "EXPLICIT_DENY"]


def test_a_closed_type_counts_nothing_for_an_unregistered_instance(tmp_path):
    """E7."""
    opens = [{"resource_type_id": "vault", "actions": ["open"]}]
    resources = [{"type": "vault", "id": "v1"}]
    engine = engine_of(tmp_path, policy(resource_types=opens), resources=resources)
    ask = {"action": {"name": "open"}}
    for _ in range(5):
        unknown = engine.decide(question(resource={"type": "vault", "id": "v9"}, **ask))
        assert unknown["context"]["reason_code"] == "NO_POLICY_MATCH"
    known = [engine.decide(question(resource={"type": "vault", "id": "v1"}, **ask))["decision"] for _ in range(3)]
    assert known == [True, True, False]


def test_a_subject_is_counted_by_its_registered_key(tmp_path):
    """E1, E3: `external_id` resolves to the id; one that resolves to nothing is somebody else."""
    subjects = [{"type": "user", "id": "alice", "external_id": "a@x"}]
    engine = engine_of(tmp_path, policy(), subjects=subjects)
    assert reasons(engine, 1) + reasons(engine, 2, subject={"external_id": "a@x"}) == [
        "ALLOWED",
        "ALLOWED",
        "CONDITION_FAILED",
    ]
    assert reasons(engine, 3, subject={"external_id": "alice"}) == ["ALLOWED", "ALLOWED", "CONDITION_FAILED"]
    assert reasons(engine, 3, subject={"id": "a@x"}) == ["ALLOWED", "ALLOWED", "CONDITION_FAILED"]


def test_every_way_of_deciding_counts(tmp_path):
    engine = engine_of(tmp_path, policy(limit=4))
    asked = ("user", "alice", "read", "document", "d1")
    assert engine.allowed(*asked)
    assert [answer["decision"] for answer in engine.decide_many([question(), question()])] == [True, True]
    assert engine.decide(question(options={"explain": True}))["decision"]
    assert not engine.allowed(*asked)


def test_a_proof_shows_the_limit_as_it_was_decided(tmp_path):
    """D10: the number of this evaluation in the window, or missing if nobody asked for it."""
    on = {"context_attrs": [{"key": "on", "op": "eq", "value": True}]}
    engine = engine_of(tmp_path, policy(conditions=on))
    rate = {"section": "rate_limit", "key": "rate", "op": "lte", "value": {"limit": 2, "window_seconds": 60}}

    def shown(**context: bool) -> tuple[bool, dict[str, Any]]:
        answer = engine.decide(question(context=context, options={"explain": True}))
        (candidate,) = answer["context"]["explanation"]["candidates"]
        assert candidate["holds"] == answer["decision"]
        return candidate["holds"], candidate["conditions"][-1]

    assert shown(on=False) == (False, rate | {"missing": True, "holds": False})
    assert shown(on=True) == (True, rate | {"actual": 1, "holds": True})
    assert shown(on=True) == (True, rate | {"actual": 2, "holds": True})
    assert shown(on=True) == (False, rate | {"actual": 3, "holds": False})
    assert shown(on=True) == (False, rate | {"actual": 3, "holds": False}), "a refused one does not count"


def test_the_clock_of_a_limit_is_the_engines_and_never_the_callers(tmp_path):
    engine = engine_of(tmp_path, policy())
    times = ["2030-01-01T00:00:00Z", "2040-01-01T00:00:00Z", "2050-01-01T00:00:00Z"]
    assert [engine.decide(question(context={"time": time}))["decision"] for time in times] == [True, True, False]


def test_searches_and_filters_neither_count_nor_decide(tmp_path):
    engine = engine_of(tmp_path, policy())
    search = {"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"}, "resource": {"type": "document"}}
    for _ in range(5):
        assert engine.filter(search)["filter"] == {"type": "const", "value": True}
    assert reasons(engine, 3) == ["ALLOWED", "ALLOWED", "CONDITION_FAILED"]


def test_a_change_of_the_model_keeps_the_counts(tmp_path):
    """They belong to the environment, the policy and the subject. A new limit counts at once."""
    old = {"resource_types": TYPES, "policies": [policy(limit=2)]}
    new = {"resource_types": TYPES, "policies": [policy(limit=3)]}
    engine = engine_of(tmp_path, policy(limit=2))
    assert reasons(engine, 3)[-1] == "CONDITION_FAILED"
    engine.replace(open_bundle(bundle_file(new, tmp_path / "new.bundle")))
    assert reasons(engine, 2) == ["ALLOWED", "CONDITION_FAILED"]
    engine.apply_deltas([delta_between(compiled(new), compiled(old), 1)])
    assert reasons(engine, 1) == ["CONDITION_FAILED"]


def test_engines_may_share_counters_and_keep_their_own_when_they_take_over(tmp_path):
    engine = engine_of(tmp_path, policy())
    assert reasons(engine.pinned(), 1) == ["ALLOWED"]
    other = Engine.open(tmp_path / "model.bundle", clock=lambda: NOW)
    engine.take_over(other)
    assert reasons(engine, 2) == ["ALLOWED", "CONDITION_FAILED"]
    other.take_over(engine)
    assert reasons(other, 1) == ["CONDITION_FAILED"]
    assert "retry_after_seconds" not in other.decide(question())["context"], "it has no counters"


@pytest.mark.parametrize("now", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_instant_is_refused(now, tmp_path):
    with pytest.raises(ValueError, match="no instant"):
        engine_of(tmp_path, policy()).decide(question(), now)


def test_an_instant_out_of_range_allows_nothing(tmp_path):
    engine = engine_of(tmp_path, policy())
    for now in (-1.0, 1e12, 1e300):
        answer = engine.decide(question(), now)
        assert (answer["decision"], answer["context"]["retry_after_seconds"]) == (False, 60)


@pytest.mark.parametrize("subject", ["\ud800", "\0", "x" * 512, "é"])
def test_any_id_is_counted(subject, tmp_path):
    assert reasons(engine_of(tmp_path, policy()), 3, subject=subject) == ["ALLOWED", "ALLOWED", "CONDITION_FAILED"]


def test_nothing_counts_before_what_may_fail(tmp_path):
    """A request with a value that JSON has not is an error, and leaves the counters as they are (C7)."""
    size = {"context_attrs": [{"key": "size", "op": "lt", "value": 5}]}
    engine = engine_of(tmp_path, policy(), policy("d", None, effect="DENY", conditions=size))
    for _ in range(3):
        with pytest.raises(BadRequest):
            engine.decide(question(context={"size": object()}))
    assert reasons(engine, 3) == ["ALLOWED", "ALLOWED", "CONDITION_FAILED"]


def test_an_evaluation_may_be_left_to_a_caller_that_counts(tmp_path):
    """A decision lane that gives up must not have counted: the application decides everything again."""
    engine = engine_of(tmp_path, policy(conditions={"context_attrs": [{"key": "on", "op": "eq", "value": True}]}))
    for _ in range(3):
        with pytest.raises(TakesLong):
            engine.decide(question(context={"on": True}), counts=False)
    assert engine.decide(question(), counts=False)["decision"] is False
    assert reasons(engine, 3, context={"on": True}) == ["ALLOWED", "ALLOWED", "CONDITION_FAILED"]


def test_many_limited_policies_are_indexed_and_bounded(tmp_path):
    """A policy for each customer: only those of the asked customer are tested, and an event loop is not held up."""
    policies = [
        policy(f"p{n:04}", conditions={"subject_attrs": [{"key": "customer", "op": "eq", "value": f"c{n}"}]})
        for n in range(300)
    ]
    engine = engine_of(tmp_path, *policies)
    asked = question(subject={"id": "alice", "properties": {"customer": "c7"}})
    with pytest.raises(TakesLong), as_event_loop():
        engine.decide(asked)
    found = [engine.decide(asked)["context"] for _ in range(3)]
    assert [context.get("policy_id") for context in found] == ["p0007", "p0007", None]
    with as_event_loop():
        assert engine.decide(asked)["context"]["retry_after_seconds"] >= 1
    (index,) = engine._snapshot.rules.cached(engine._snapshot.unregistered.roles, "document", "read").limited_indexes
    assert index.indexed


def test_many_limits_at_once_are_left_to_a_thread(tmp_path):
    """Each of them is counted, so an evaluation with hundreds would hold up an event loop for long."""
    engine = engine_of(tmp_path, *(policy(f"p{number:03}") for number in range(150)))
    for _ in range(2):
        engine.decide(question())
        with pytest.raises(TakesLong), as_event_loop():
            engine.decide(question())
    assert engine.decide(question())["context"]["reason"].endswith("and the conditions of 149 more do not hold")


def test_threads_share_one_limit(tmp_path):
    engine, found = engine_of(tmp_path, policy(limit=200)), []

    def ask() -> None:
        found.append(sum(engine.decide(question())["decision"] for _ in range(100)))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(found) == 200


def test_a_forked_process_counts_by_itself_even_if_a_thread_held_the_lock(tmp_path):
    engine = engine_of(tmp_path, policy())
    assert reasons(engine, 1) == ["ALLOWED"]
    counters, context = engine._counters, multiprocessing.get_context("fork")
    found = context.Queue()
    with counters._lock:
        child = context.Process(target=lambda: found.put(reasons(engine, 2)))
        child.start()
    try:
        assert found.get(timeout=60) == ["ALLOWED", "CONDITION_FAILED"]
    finally:
        child.join(60)
        child.kill()
    assert reasons(engine, 2) == ["ALLOWED", "CONDITION_FAILED"]


def judged(response: Row) -> Row:
    """A response without its words for people, as the oracle gives it."""
    context = {name: value for name, value in response["context"].items() if name not in ("reason", "explanation")}
    return {"decision": response["decision"], **context}


def limited(pick: Pick, model: dict[str, Any]) -> dict[str, Any]:
    """The model with a rate limit on most ALLOWs."""
    for row in model.get("policies", []):
        if row["effect"] == "ALLOW" and pick.chance(3, 4):
            rate = {"limit": pick.number(1, 4), "window_seconds": pick.one((1, 10, 60, 3_600))}
            row["conditions"] = (row.get("conditions") or {}) | {"rate_limit": rate}
    return model


@pytest.mark.parametrize("indexed_from", [attribute_index.INDEXED_FROM, 1])
@pytest.mark.parametrize("block", range(3))
def test_the_engine_counts_as_the_oracle_does(block, indexed_from, tmp_path, monkeypatch):
    """The law of C10, on random models: every decision of a series, and every wait, is the oracle's."""
    monkeypatch.setattr(attribute_index, "INDEXED_FROM", indexed_from)
    waits = 0
    for seed in range(block * 36, block * 36 + 36):
        pick = Pick.seeded(seed)
        model = limited(pick, a_document(pick))
        engine = Engine.open(bundle_file(model, tmp_path / f"{seed}.bundle"), counters=RateCounters())
        right, now = Counters(by_slots), NOW
        asked = [a_request(pick, model) for _ in range(3)]
        for _ in range(25):
            now += pick.one((0, 0, 0.25, 1, 9, 700))
            request = asked[pick.number(0, 2)]
            expected = oracle.decide(model, request, now, right)
            waits += "retry_after_seconds" in expected
            explains = pick.chance(1, 3)
            response = engine.decide(request | ({"options": {"explain": True}} if explains else {}), now)
            context = {
                name: value for name, value in response["context"].items() if name not in ("reason", "explanation")
            }
            assert {"decision": response["decision"], **context} == expected
            if explains:
                rows = response["context"]["explanation"]["candidates"]
                assert any(row["holds"] for row in rows if row["effect"] == "ALLOW") == (
                    expected["reason_code"] in ("ALLOWED", "DENY_OVERRIDE")
                )
    assert waits > 5, "the models are too harmless"


def test_the_public_name():
    assert writ.RateCounters is RateCounters
    assert RateCounters(memory_bytes=0).count(b"x", 1, 60, NOW) == 1


def test_an_engine_with_other_counters_counts_apart(tmp_path):
    engine = engine_of(tmp_path, policy(limit=1))
    assert [engine.decide(question(), NOW)["decision"] for _ in range(2)] == [True, False]
    assert [engine.counting(RateCounters()).decide(question(), NOW)["decision"] for _ in range(2)] == [True, True]
    assert engine.decide(question(), NOW)["decision"] is False
