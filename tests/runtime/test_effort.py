"""An event loop never works long at once, and another thread gives the same answers."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from writ.bundles.delta import Delta
from writ.bundles.event_loop import TakesLong
from writ.bundles.file.reader import open_bundle
from writ.runtime import Engine
from writ.runtime import effort as bounds
from writ.runtime.requests.searches import read_resource_search

from tests.support.bundling import bundle_file, compiled
from tests.support.deltas import delta_between
from tests.support.event_loops import as_event_loop

TYPES = [{"id": "document", "actions": ["read"]}, {"id": "folder", "actions": ["read"]}]


def policy(id: str, type: str, *conditions: dict[str, Any], **more: Any) -> dict[str, Any]:
    scope = [{"resource_type_id": type, "actions": ["read"]}]
    return {
        "id": id,
        "effect": "ALLOW",
        "resource_types": scope,
        "conditions": {"context_attrs": list(conditions)},
        **more,
    }


def equals(place: int) -> dict[str, Any]:
    return {"key": f"k{place}", "op": "eq", "value": place}


def asked(type: str = "document", **more: Any) -> dict[str, Any]:
    resource = {"type": type, "id": "d"}
    return {"subject": {"type": "user", "id": "u"}, "action": {"name": "read"}, "resource": resource} | more


def document(*policies: dict[str, Any]) -> dict[str, Any]:
    return {"resource_types": TYPES, "policies": list(policies)}


@pytest.fixture
def engines(tmp_path: Path) -> Any:
    def of(model: dict[str, Any]) -> tuple[Engine, Engine]:
        bundle = open_bundle(bundle_file(model, tmp_path / "m.bundle"))
        return Engine(bundle), Engine(bundle)

    return of


def quickly(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    """The answer on an event loop."""
    with as_event_loop():
        return engine.decide(request)


def test_what_is_dear_to_specialise_is_left_to_another_thread(engines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("writ.runtime.specialisation_cache.MOST_COMPILED", 10 * bounds.STEPS_TO_COMPILE)
    many = document(*(policy(f"p{number}", "document", equals(number)) for number in range(60)), policy("q", "folder"))
    hurried, plain = engines(many)
    assert quickly(hurried, asked("folder")) == plain.decide(asked("folder"))
    with pytest.raises(TakesLong) as first:
        quickly(hurried, asked())
    with pytest.raises(TakesLong) as second:
        quickly(hurried, asked() | {"subject": {"type": "user", "id": "v"}})
    assert first.value.work == second.value.work  # neither has a role, so both wait for the same
    assert hurried.decide(asked()) == plain.decide(asked())
    assert quickly(hurried, asked()) == plain.decide(asked())  # from now on


def test_what_was_done_is_not_done_again(engines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many attempts lead to an answer too, since each compiles some of the rules."""
    monkeypatch.setattr("writ.runtime.specialisation_cache.MOST_COMPILED", 4 * bounds.STEPS_TO_COMPILE)
    hurried, plain = engines(document(*(policy(f"p{number}", "document", equals(number)) for number in range(9))))
    compiled, done = [0], False
    while not done:
        with suppress(TakesLong):
            done = bool(quickly(hurried, asked()))
        if not done:
            compiled.append(len(hurried._snapshot.rules.types["document"]._bodies))
            assert compiled[-2] < compiled[-1] < 9
    assert len(compiled) > 2
    assert quickly(hurried, asked()) == plain.decide(asked())


@pytest.mark.parametrize(
    "condition",
    [{"key": "k", "op": "regex", "value": "a.c"}, equals(1)],
    ids=["patterns", "comparisons"],
)
def test_what_is_dear_to_test_is_always_left(
    engines: Any, monkeypatch: pytest.MonkeyPatch, condition: dict[str, Any]
) -> None:
    most = bounds.STEPS_OF_PATTERN if condition["op"] == "regex" else 1
    monkeypatch.setattr("writ.runtime.rules.specialise.MOST_TESTED", most)
    one, two = policy("p", "document", condition), policy("q", "document", condition, condition)
    hurried, plain = engines(document(one))
    assert quickly(hurried, asked()) == plain.decide(asked())
    hurried, plain = engines(document(one, two))
    for _ in range(2):
        with pytest.raises(TakesLong):
            quickly(hurried, asked())
        assert hurried.decide(asked()) == plain.decide(asked())


def test_rules_that_an_index_leaves_out_take_no_time(engines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("writ.runtime.rules.specialise.MOST_TESTED", 3)
    rows = [
        policy(f"p{number:02}", "document", {"key": "project", "op": "eq", "value": f"x{number}"})
        for number in range(40)
    ]
    hurried, plain = engines(document(*rows))
    sent = asked(context={"project": "x7"})
    assert quickly(hurried, sent) == plain.decide(sent)
    assert quickly(hurried, sent)["context"]["policy_id"] == "p07"


def test_a_proof_takes_long(engines: Any) -> None:
    hurried, plain = engines(document(policy("p", "document")))
    sent = asked(options={"explain": True})
    with pytest.raises(TakesLong):
        quickly(hurried, sent)
    assert hurried.decide(sent) == plain.decide(sent)


def test_a_search_in_a_long_text_is_left(engines: Any) -> None:
    """Also where a cached filter decides by an attribute of the subject."""
    found = {"key": "text", "op": "regex", "value": "a[0-9]b"}
    by_context, by_subject = policy("p", "document", found), policy("q", "folder")
    by_subject["conditions"] = {"subject_attrs": [found]}
    hurried, plain = engines(document(by_context, by_subject))
    for text in ("a1b", "x" * 4_000 + "a1b", "x" * 50_000 + "a1b", "y" * 50_000):
        sent = asked(context={"text": text})
        search = asked("folder", subject={"type": "user", "id": "u", "properties": {"text": text}})
        search["resource"] = {"type": "folder"}
        expected = plain.decide(sent), plain.filter(search)
        assert expected[0]["decision"] is text.endswith("b")
        assert (hurried.decide(sent), hurried.filter(search)) == expected
        if len(text) < 4_096:
            with as_event_loop():
                assert hurried.cached_filter(read_resource_search(search)) == expected[1]
            assert quickly(hurried, sent) == expected[0]
        else:
            with as_event_loop():
                assert hurried.cached_filter(read_resource_search(search)) is None
            with pytest.raises(TakesLong):
                quickly(hurried, sent)


def test_the_mark_is_that_of_one_thread(engines: Any) -> None:
    hurried, plain = engines(document(policy("p", "document")))
    sent = asked(options={"explain": True})
    with as_event_loop(), ThreadPoolExecutor(1) as pool:
        assert pool.submit(hurried.decide, sent).result() == pool.submit(plain.decide, sent).result()
        with pytest.raises(TakesLong):
            hurried.decide(sent)
    assert hurried.decide(sent) == plain.decide(sent)


def test_what_a_change_left_untouched_stays_warm(tmp_path: Path) -> None:
    """Subjects, sets of roles, programs, plans and filters; what it touched is computed anew."""
    before = document(policy("p", "document", equals(1)), policy("q", "folder", equals(2), roles=["r"])) | {
        "roles": [{"id": "r"}],
        "assignments": [{"role": "r", "subject": {"type": "user", "id": "u"}}],
    }
    after = before | {"policies": [policy("p", "document", equals(3)), before["policies"][1]]}
    engine = Engine(open_bundle(bundle_file(before, tmp_path / "m.bundle")))
    for type in ("document", "folder"):
        engine.decide(asked(type, context={"k1": 1}))
        engine.filter(asked(type) | {"resource": {"type": type}})
    old = engine._snapshot
    holder = old.holders["user"]["u"]
    delta: Delta = delta_between(compiled(before), compiled(after), 2)
    engine.apply_deltas([delta])
    new = engine._snapshot
    assert new.holders["user"]["u"] is holder
    assert new.plans["folder"]["read"][holder.roles] is old.plans["folder"]["read"][holder.roles]
    assert new.rules.cached(holder.roles, "document", "read") is None
    kept = new.rules.cached(holder.roles, "folder", "read")
    assert kept is not None
    assert new.rules.filters.cached(kept) is old.rules.filters.cached(kept) is not None
    assert [key[0].type for key in new.rules.filters._derived] == [kept.type]
    sent = asked(context={"k1": 1, "k3": 3})
    assert engine.decide(sent)["decision"] is True
    assert engine.decide(asked(context={"k1": 1}))["decision"] is False
    assert old.rules.cached(holder.roles, "document", "read") is not None  # for requests that began before


def test_what_is_gone_leaves_no_trace(tmp_path: Path) -> None:
    """However often a policy changes, no more is kept than of its newest form."""
    models = [document(policy("p", "document", equals(number)), policy("q", "document")) for number in range(9)]
    engine = Engine(open_bundle(bundle_file(models[0], tmp_path / "m.bundle")))
    for revision, (before, after) in enumerate(pairwise(models), 2):
        engine.decide(asked())
        engine.apply_deltas([delta_between(compiled(before), compiled(after), revision)])
    engine.decide(asked())
    rules = engine._snapshot.rules.types["document"]
    assert (len(rules._bodies), len(rules._rules)) == (2, 2)
