"""An impatient engine never works long at once, and a patient one gives the same answers."""

from pathlib import Path
from typing import Any

import pytest
from writ.bundles.delta import Delta
from writ.bundles.file.reader import open_bundle
from writ.runtime import Engine
from writ.runtime import effort as bounds
from writ.runtime.effort import TakesLong

from tests.support.bundling import bundle_file, compiled
from tests.support.deltas import delta_between

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
        return Engine(bundle, impatient=True), Engine(bundle)

    return of


def test_what_is_dear_to_specialise_is_left_to_a_patient_engine(engines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("writ.runtime.specialisation_cache.MOST_COMPILED", 10 * bounds.STEPS_TO_COMPILE)
    many = document(*(policy(f"p{number}", "document", equals(number)) for number in range(60)), policy("q", "folder"))
    impatient, plain = engines(many)
    assert impatient.decide(asked("folder")) == plain.decide(asked("folder"))
    with pytest.raises(TakesLong) as first:
        impatient.decide(asked())
    with pytest.raises(TakesLong) as second:
        Engine.decide(impatient, asked() | {"subject": {"type": "user", "id": "v"}})
    assert first.value.work == second.value.work  # neither has a role, so both wait for the same
    assert impatient.patient().decide(asked()) == plain.decide(asked())
    assert impatient.decide(asked()) == plain.decide(asked())  # from now on


def test_what_was_done_is_not_done_again(engines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many attempts lead to an answer too, since each compiles some of the rules."""
    monkeypatch.setattr("writ.runtime.specialisation_cache.MOST_COMPILED", 4 * bounds.STEPS_TO_COMPILE)
    impatient, plain = engines(document(*(policy(f"p{number}", "document", equals(number)) for number in range(9))))
    compiled = [0]
    while compiled[-1] < 9:
        with pytest.raises(TakesLong):
            impatient.decide(asked())
        compiled.append(len(impatient._snapshot.rules.types["document"]._bodies))
        assert compiled[-2] < compiled[-1]
    assert len(compiled) > 2
    assert impatient.decide(asked()) == plain.decide(asked())


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
    impatient, plain = engines(document(one))
    assert impatient.decide(asked()) == plain.decide(asked())
    impatient, plain = engines(document(one, two))
    for _ in range(2):
        with pytest.raises(TakesLong):
            impatient.decide(asked())
        assert impatient.patient().decide(asked()) == plain.decide(asked())


def test_rules_that_an_index_leaves_out_take_no_time(engines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("writ.runtime.rules.specialise.MOST_TESTED", 3)
    rows = [
        policy(f"p{number:02}", "document", {"key": "project", "op": "eq", "value": f"x{number}"})
        for number in range(40)
    ]
    impatient, plain = engines(document(*rows))
    sent = asked(context={"project": "x7"})
    assert impatient.decide(sent) == plain.decide(sent)
    assert impatient.decide(sent)["context"]["policy_id"] == "p07"


def test_a_proof_takes_long(engines: Any) -> None:
    impatient, plain = engines(document(policy("p", "document")))
    sent = asked(options={"explain": True})
    with pytest.raises(TakesLong):
        impatient.decide(sent)
    assert impatient.patient().decide(sent) == plain.decide(sent)


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
