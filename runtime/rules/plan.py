"""A plan: what is left to do for a plain request, once the subject's roles, the type and the action are known."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ...bundles.conditions.references import ValueOf
from ..requests.members import Attributes
from .attributes import NO_CLOCK, Test
from .memberships import HasGroups
from .rank_rules import RankedRules
from .reasons import Answer
from .references import guarded_test
from .rule import Ready, Rule

Plan: TypeAlias = tuple[tuple[Ready, ...], tuple[Ready, ...], tuple[Ready, ...], Answer]
"""The parts of a plan, in this order:

- the DENYs and the ALLOWs that can hold, in the order in which they are reported (D8);
- the ALLOWs by the number of their tests: a question whether any of them holds starts with the likeliest;
- the answer if none of them holds.

An ALLOW without conditions is none of the ALLOWs: it is the answer if none of them holds.

PERF: a plain tuple; a NamedTuple takes 0.05 µs more to unpack.
"""


def plan_of(rules: RankedRules, otherwise: Answer, guard: Test | None = None, watched: Sequence[ValueOf] = ()) -> Plan:
    """Returns the plan for rules that are not indexed. `otherwise` is the answer if none of them holds (D4 to D6).

    A `guard` refuses the request if a value of `watched` is too large (X1). It stands before all rules, as a DENY that
    never holds, unless the test of a reference comes first and can do its work.
    """
    denies, allows = rules.deny_index.rules, rules.allow_index.rules
    if allows and not allows[-1].body.tests:
        allows, otherwise = allows[:-1], allows[-1].explicit
    by_length = sorted(allows, key=lambda rule: len(rule.ready[1]))
    tested, ready, shortest = _ready(denies), _ready(allows), _ready(by_length)
    if guard is not None:
        first = (denies,) if denies else () if otherwise.allowed or not allows else (allows, by_length)
        guarded = [found for rules in first if (found := _guarded(rules, guard, watched)) is not None]
        if not first or len(guarded) < len(first):
            tested = ((guard, (), otherwise, otherwise), *tested)
        elif denies:
            (tested,) = guarded
        else:
            ready, shortest = guarded
    return tested, ready, shortest, otherwise


def _ready(rules: Iterable[Rule]) -> tuple[Ready, ...]:
    return tuple(rule.ready for rule in rules)


def _guarded(rules: Sequence[Rule], guard: Test, watched: Sequence[ValueOf]) -> tuple[Ready, ...] | None:
    """Returns rules of which the first test guards too, or None if it has no fast form with a guard."""
    test, rest, override, explicit = rules[0].ready
    first = rules[0].body.first
    guarded = None if first is None else guarded_test(first, test, guard, watched)
    return None if guarded is None else ((guarded, rest, override, explicit), *_ready(rules[1:]))


def weight_of(plan: Plan) -> int:
    """Returns the places for rules that a plan takes in memory."""
    denies, allows, by_length, *_ = plan
    return len(denies) + len(allows) + len(by_length)


def answer_of(
    plan: Plan,
    t: str,
    i: str,
    s: Attributes,
    n: str,
    r: Attributes,
    a: Attributes,
    c: Attributes,
    h: HasGroups,
) -> Answer:
    """Returns the answer of a plan (D1 to D6). `t` to `h` are arguments of a test.

    PERF: this is `first_that_holds`, written out twice. `test_every_way_is_the_plain_loop` proves that they agree.
    """
    denies, allows, _, otherwise = plan
    for test, rest, override, explicit in denies:
        if test(t, i, s, n, r, a, c, h, NO_CLOCK):
            for test in rest:
                if not test(t, i, s, n, r, a, c, h, NO_CLOCK):
                    break
            else:
                return override if permits(plan, t, i, s, n, r, a, c, h) else explicit
    for test, rest, _, explicit in allows:
        if test(t, i, s, n, r, a, c, h, NO_CLOCK):
            for test in rest:
                if not test(t, i, s, n, r, a, c, h, NO_CLOCK):
                    break
            else:
                return explicit
    return otherwise


def permits(
    plan: Plan,
    t: str,
    i: str | None,
    s: Attributes,
    n: str | None,
    r: Attributes,
    a: Attributes,
    c: Attributes,
    h: HasGroups,
) -> bool:
    """Returns whether some ALLOW of a plan holds, which one does not matter. `t` to `h` are arguments of a test."""
    _, _, by_length, otherwise = plan
    if otherwise.allowed:
        return True
    for test, rest, _, _ in by_length:
        if test(t, i, s, n, r, a, c, h, NO_CLOCK) and all(test(t, i, s, n, r, a, c, h, NO_CLOCK) for test in rest):
            return True
    return False
