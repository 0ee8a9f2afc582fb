"""Every fast form of a comparison with a reference means what the careful comparison does, with and without a guard."""

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from writ.bundles.conditions.operators import Operator
from writ.bundles.conditions.references import GROUPS, ValueOf, takes_reference
from writ.bundles.conditions.values import Unreadable
from writ.bundles.file.fact_records import GroupRecord
from writ.bundles.program.clauses import Reference
from writ.runtime import BadRequest, Engine
from writ.runtime.rules import plan
from writ.runtime.rules.array_elements import QUICK_ELEMENTS
from writ.runtime.rules.careful_comparison import CarefulComparison
from writ.runtime.rules.memberships import Memberships
from writ.runtime.rules.reference_guard import guard_of, watched_of
from writ.runtime.rules.references import MOST_BESIDE, guarded_test, reference_test
from writ.runtime.rules.rule import Rule

from tests.support.bundling import engine_for

Row = dict[str, Any]


class Lying(str):
    """A string that claims to equal everything; its comparisons do not count (C7)."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


class InGroups:
    memberships = Memberships([GroupRecord(id, (), (), ()) for id in ("a", "g")])


TEXTS = [str(number) for number in range(QUICK_ELEMENTS)]
FOREIGN = (1,)
VALUES: list[Any] = [
    *(None, "a", "b", "", "u5", 0, 1, 2, 1.0, 2.5, float("nan"), 2**53 + 1, float(2**53), True, False, {}, {"a": 1}),
    *([], ["a"], ["a", "b"], [1, "a"], ["b", None], [1.0], [True], [["a"]], TEXTS, [*TEXTS, "a"], [*TEXTS[1:], "a"]),
    *(Lying("a"), [Lying("b")], ["b", Lying("a")], FOREIGN, [FOREIGN], ["a", FOREIGN], Unreadable("x")),
]
OTHERS = [ValueOf("subject", "k"), ValueOf("subject", "p.k"), ValueOf("context", "k"), ValueOf("subject", "id"), GROUPS]
OPERATORS = [op for op in Operator if takes_reference(op)]


def asked(value: Any, other: Any, beside: Any = None) -> tuple[Any, ...]:
    """The arguments of a test whose attribute is `value`, and which may refer to `other` or have `beside` beside it."""
    subject, context = {"k": other, "p": {"k": other}, "z": beside}, {"k": other}
    return "user", "u5", subject, "d", {"k": value, "p": {"k": value}}, {"z": beside}, context, InGroups, 0.0


def outcome(call: Any, *given: Any) -> Any:
    """The result, or the path and sentence of the fault."""
    try:
        return call(*given)
    except BadRequest as ex:
        return ex.path, ex.message


def referred(value_of: ValueOf, other: Any) -> Any:
    return ["a", "g"] if value_of == GROUPS else "u5" if value_of.key == "id" else other


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_a_fast_form_is_the_careful_comparison(op: Operator, other: ValueOf) -> None:
    """X2, X6, C2 to C7: for an ALLOW and a DENY, and as the test that guards too."""
    for key, unreadable in product(("k", "p.k"), (False, True)):
        atom = Reference("resource_attrs", key, op, other)
        test, careful = reference_test(atom, "doc", unreadable), CarefulComparison(atom, unreadable)
        guard = guard_of([other])
        guarded = None if guard is None else guarded_test(atom, test, guard, watched_of([other]))
        for value, right in product(VALUES, VALUES):
            expected = False if value is None else outcome(careful, value, referred(other, right))
            assert outcome(test, *asked(value, right)) == expected, (key, value, right)
            assert guarded is None or outcome(guarded, *asked(value, right)) == expected, (key, value, right)


FORMS = [
    *((Operator.EQ, one) for one in OTHERS[:4]),
    *(
        (Operator.IN, OTHERS[0]),
        (Operator.HAS, OTHERS[0]),
        (Operator.HAS_NONE, OTHERS[0]),
        (Operator.NIN, GROUPS),
        (Operator.HAS_ANY, GROUPS),
    ),
]
BESIDE = [ValueOf("subject", "z"), ValueOf("action", "z"), ValueOf("subject", "y.z"), ValueOf("context", "y")]


@pytest.mark.parametrize("beside", range(MOST_BESIDE + 1))
@pytest.mark.parametrize(("op", "other"), FORMS, ids=str)
def test_a_guarded_test_refuses_what_its_guard_refuses(op: Operator, other: ValueOf, beside: int) -> None:
    """X1: the guard comes first, also if the attribute is absent, of another type, or refused itself (C7)."""
    atom, values = Reference("resource_attrs", "k", op, other), [other, *BESIDE[:beside]]
    test, guard, watched = reference_test(atom, "doc", False), guard_of(values), watched_of(values)
    if guard is None:
        return
    guarded = guarded_test(atom, test, guard, watched)
    assert guarded is not None
    long = ["a"] * 10_001
    for value, right, more in product((None, "a", 1, ["a"], FOREIGN), ("a", 1, None, ["a"], long), ("a", ["a"], long)):
        given = asked(value, right, more)
        refused = outcome(guard, *given)
        assert outcome(guarded, *given) == (refused or outcome(test, *given)), (value, right, more)
    assert outcome(guard, *asked("a", long)) is not False or other in (GROUPS, ValueOf("subject", "id"))


def test_a_test_that_would_not_be_faster_has_no_guarded_form() -> None:
    for key, op, values in (
        ("k", Operator.EQ, [OTHERS[0], *BESIDE]),
        ("k", Operator.EQ, [GROUPS, OTHERS[0]]),
        ("type", Operator.EQ, OTHERS[:1]),
    ):
        atom, guard = Reference("resource_attrs", key, op, values[0]), guard_of(values)
        assert guard is not None
        assert guarded_test(atom, reference_test(atom, "doc", False), guard, watched_of(values)) is None


def policy(id: str, effect: str, *conditions: Row, **more: Any) -> Row:
    scope = [{"resource_type_id": "doc", "actions": ["read"]}]
    return {"id": id, "effect": effect, "resource_types": scope, "conditions": {"resource_attrs": [*conditions]}} | more


OWN, PLAIN = {"key": "k", "op": "eq", "value_of": "subject.k"}, {"key": "s", "op": "eq", "value": "x"}
TEAMS, TENANT = {"key": "k", "op": "in", "value_of": "subject.t"}, {"key": "k", "op": "eq", "value_of": "subject.k"}
NEVER = {"key": "type", "op": "eq", "value": "other"}
PLANS = {
    "a DENY": [policy("p", "DENY", OWN), policy("e", "ALLOW")],
    "a DENY after another": [policy("p", "DENY", OWN), policy("n", "DENY", PLAIN, priority=1), policy("e", "ALLOW")],
    "a DENY, an ALLOW": [policy("p", "DENY", OWN), policy("q", "ALLOW", OWN)],
    "a DENY without": [policy("n", "DENY", PLAIN), policy("q", "ALLOW", OWN)],
    "an ALLOW": [policy("p", "ALLOW", OWN)],
    "an ALLOW after a constant": [policy("p", "ALLOW", OWN, PLAIN)],
    "an ALLOW after a shorter one": [policy("p", "ALLOW", OWN, TEAMS, priority=1), policy("q", "ALLOW", OWN)],
    "an ALLOW after a plain one": [policy("p", "ALLOW", OWN, TEAMS, priority=1), policy("q", "ALLOW", PLAIN)],
    "an ALLOW before everyone's": [policy("p", "ALLOW", OWN, priority=1), policy("e", "ALLOW")],
    "an ALLOW after everyone's": [policy("p", "ALLOW", OWN), policy("e", "ALLOW", priority=1)],
    "an ALLOW that never holds": [policy("p", "ALLOW", OWN, NEVER), policy("q", "ALLOW", PLAIN)],
    "a DENY that never holds": [policy("p", "DENY", OWN, NEVER), policy("e", "ALLOW")],
    "groups first": [policy("p", "ALLOW", OWN, {"key": "k", "op": "in", "value_of": "subject.groups"})],
}


GUARDED = {
    *("a DENY", "a DENY, an ALLOW", "an ALLOW", "an ALLOW after a shorter one", "an ALLOW after a plain one"),
    *("an ALLOW before everyone's", "groups first"),
}
"""The plans whose first test guards too, in a written function. The others have the guard before their rules."""


def engine_of(policies: list[Row], path: Path) -> Engine:
    types, subjects = [{"id": "doc", "actions": ["read"]}], [{"type": "user", "id": "u5"}]
    model = {"extensions": ["references"], "resource_types": types, "policies": policies, "subjects": subjects}
    return engine_for(model, path)


def ask(engine: Engine, subject: Row, resource: Row) -> list[Any]:
    """The decision of every way, or its fault."""
    request = {
        "subject": {"type": "user", "id": "u5", "properties": subject},
        "action": {"name": "read"},
        "resource": {"type": "doc", "id": "d", "properties": resource},
    }
    return [
        outcome(lambda: engine.decide(request)["decision"]),
        outcome(lambda: engine.allowed("user", "u5", "read", "doc", "d", subject, resource)),
        outcome(lambda: engine._decide_carefully(request, None)["decision"]),
    ]


@pytest.mark.parametrize("written_after", [plan.WRITTEN_AFTER, 1])
@pytest.mark.parametrize("policies", PLANS.values(), ids=PLANS)
def test_every_plan_refuses_first(
    policies: list[Row], written_after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X1, whatever stands first in the plan, and whether `decide` or `allowed` is asked."""
    monkeypatch.setattr(plan, "WRITTEN_AFTER", written_after)
    engine = engine_of(policies, tmp_path / "m")
    long = ["a"] * 10_001
    teams = any(TEAMS in one["conditions"]["resource_attrs"] for one in policies)
    for _, k, t, left in product(range(2), ("a", 1, None, long), (["a"], None, long), ({"k": "a"}, {"s": "x"}, {})):
        decisions = ask(engine, {"k": k, "t": t}, left)
        assert decisions == decisions[:1] * 3
        path = "$.subject.properties.k" if k is long else "$.subject.properties.t" if teams and t is long else None
        assert (decisions[0][0] if isinstance(decisions[0], tuple) else None) == path


@pytest.mark.parametrize("name", PLANS)
def test_the_first_test_of_a_plan_guards_if_it_can(name: str, tmp_path: Path) -> None:
    """D8: whatever guards, the rules stay in their order, the DENYs too."""
    engine = engine_of(PLANS[name], tmp_path / "m")
    ask(engine, {}, {})
    ((*_, rules),) = engine._snapshot.plans["doc"]["read"].values()
    by_rank = sorted(PLANS[name], key=lambda one: (-one.get("priority", 0), one["id"]))
    found = [one for one in by_rank if NEVER not in one["conditions"]["resource_attrs"]]
    assert named(rules.denies) == [one["id"] for one in found if one["effect"] == "DENY"]
    tested = [one["id"] for one in found if one["effect"] == "ALLOW" and one["id"] != "e"]
    assert named(rules.allows) == (tested if name != "an ALLOW after everyone's" else [])
    assert (rules.guard in rules.written()) is (name not in GUARDED)


def named(rules: Iterable[Rule]) -> list[str]:
    return [rule.clause.policy for rule in rules]


@pytest.mark.parametrize("count", [1, 8, 9, 17])
def test_each_of_many_values_is_examined(count: int) -> None:
    """X1."""
    guard = guard_of([ValueOf("context", f"k{n:02}") for n in range(count)])
    assert guard is not None
    for n in range(count):
        context = {f"k{n:02}": ["a"] * 10_001}
        refused = outcome(guard, "user", "u5", {}, "d", {}, {}, context, InGroups, 0.0)
        assert refused[0] == f"$.context.k{n:02}"
