"""A plan: what is left to do for a plain request, once the subject's roles, the type and the action are known."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

from ...bundles.conditions.references import ValueOf
from ..requests.members import Attributes
from .attributes import NO_CLOCK, Test
from .memberships import HasGroups
from .rank_rules import RankedRules
from .reasons import Answer
from .references import guarded_test
from .rule import RoleSet, first_that_holds
from .written_plan import Row, WrittenRules

Plan: TypeAlias = tuple[Any, ...]
"""The parts of a plan, in this order:

- a function that returns the place of the answer in the plan (D1 to D6);
- the place of the first answer that permits: those before it deny, the others permit;
- the answers;
- the tests that the function calls;
- the contexts of the answers, in reverse;
- its rules.

`t` to `h` are arguments of a test:

    place = plan[0](plan, t, i, s, n, r, a, c, h)
    answer, context, permits = plan[place], plan[-place], place >= plan[1]

The function of a new plan tests its rules in order. For a plan that is asked often, a function is written.

PERF: a plain tuple, and expressions in place of calls. Most of the time of decisions about many different things goes
into memory, so who needs only the context or the permission does not read the answer.
"""

_FIRST: Final = 2
"""The place of the first answer."""

WRITTEN_AFTER: Final = 1_000
"""The questions after which the function of a plan is written. It takes 0.5 ms, and saves half a microsecond each.

So it has paid for itself after as many again. However often commits end plans, writing takes about a fifth of the time
at most: 1,000 questions take two milliseconds.
"""

MOST_WRITTEN: Final = 100
"""The most tests of a plan whose function is written. For more, an event loop would wait too long."""


class InOrder:
    """The rules of a plan, in the order in which they are reported (D8).

    `places` has the place of each rule's answer. A DENY has two: if it overrides another rule, and behind it, if it
    stands alone. `last` is the place of the answer if no rule holds. An ALLOW without conditions is none of the ALLOWs:
    it is that answer.
    """

    __slots__ = (
        "_asked",
        "_kept",
        "_watched",
        "allows",
        "answers",
        "denies",
        "first_permitting",
        "guard",
        "last",
        "places",
    )

    def __init__(self, rules: RankedRules, otherwise: Answer, guard: Test | None, watched: Sequence[ValueOf]):
        self.denies, self.allows = rules.deny_index.rules, rules.allow_index.rules
        if self.allows and not self.allows[-1].body.tests:
            self.allows, otherwise = self.allows[:-1], self.allows[-1].explicit
        self.guard, self._watched = guard, watched
        denials = [answer for rule in self.denies for answer in (rule.override, rule.explicit)]
        permissions = [rule.explicit for rule in self.allows]
        (permissions if otherwise.allowed else denials).append(otherwise)
        self.answers = (*denials, *permissions)
        self.first_permitting = _FIRST + len(denials)
        self.last = _FIRST + self.answers.index(otherwise)
        self.places = {rule: _FIRST + 2 * place for place, rule in enumerate(self.denies)}
        self.places |= {rule: self.first_permitting + place for place, rule in enumerate(self.allows)}
        self._asked = 0
        self._kept: tuple[dict[RoleSet, Plan], RoleSet] | None = None

    def plan(self, function: Callable[..., int], called: Iterable[Test] = ()) -> Plan:
        """Returns the plan with a function that calls the tests `called`."""
        contexts = (answer.context for answer in reversed(self.answers))
        return function, self.first_permitting, *self.answers, *called, *contexts, self

    def keep(self, plan: Plan, plans: dict[RoleSet, Plan], roles: RoleSet) -> None:
        """Puts the plan with these rules among `plans`, where one with a written function takes its place later."""
        plans[roles] = plan
        if self.tests <= MOST_WRITTEN:
            self._kept = plans, roles

    def count(self, plan: Plan) -> None:
        """Counts a question that the plan with these rules answers."""
        self._asked += 1
        if self._asked < WRITTEN_AFTER or self._kept is None:
            return
        kept, self._kept = self._kept, None
        if kept is not None:  # another thread may be as far
            plans, roles = kept
            if plans.get(roles) is plan:
                plans[roles] = self.written()

    @property
    def tests(self) -> int:
        """The number of tests of all rules."""
        return sum(len(rule.body.tests) for rule in (*self.denies, *self.allows))

    def carefully(
        self,
        t: str,
        i: str,
        s: Attributes,
        n: str,
        r: Attributes,
        a: Attributes,
        c: Attributes,
        h: HasGroups,
    ) -> int:
        """Returns the place of the answer (D1 to D6). It takes the arguments of a test."""
        if self.guard is not None:
            self.guard(t, i, s, n, r, a, c, h, NO_CLOCK)
        denial = first_that_holds(self.denies, t, i, s, n, r, a, c, h, NO_CLOCK)
        allow = first_that_holds(self.allows, t, i, s, n, r, a, c, h, NO_CLOCK)
        if denial is not None:
            return self.places[denial] + (allow is None and self.last < self.first_permitting)
        return self.last if allow is None else self.places[allow]

    def written(self) -> Plan:
        """Returns the plan with a function that is written for it."""
        rules, guard = WrittenRules(_FIRST + len(self.answers)), self.guard
        rows: list[Row] = [(rule.body.tests, place) for rule, place in self.places.items()]
        if guard is not None and rows and (guarded := self._guarded(guard)) is not None:
            (_, *others), place = rows[0]
            guard, rows[0] = None, ((guarded, *others), place)
        denies, allows = rows[: len(self.denies)], rows[len(self.denies) :]
        rules.write(guard, denies, allows, self.last, permits=self.last >= self.first_permitting)
        return self.plan(rules.function(), rules.called)

    def _guarded(self, guard: Test) -> Test | None:
        """Returns the first test of all, which guards too, or None if it has no fast form with a guard (X1)."""
        rule = next(iter(self.places))
        first = rule.body.first
        return None if first is None else guarded_test(first, rule.body.tests[0], guard, self._watched)


def plan_of(rules: RankedRules, otherwise: Answer, guard: Test | None = None, watched: Sequence[ValueOf] = ()) -> Plan:
    """Returns the plan for rules that are not indexed. `otherwise` is the answer if none of them holds (D4 to D6).

    A `guard` refuses the request if a value of `watched` is too large (X1), before any test.
    """
    in_order = InOrder(rules, otherwise, guard, watched)
    return in_order.plan(_test_in_order)


def keep_plan(plan: Plan, plans: dict[RoleSet, Plan], roles: RoleSet) -> None:
    """Puts a new plan among `plans`; see `InOrder.keep`."""
    plan[-1].keep(plan, plans, roles)


def weight_of(plan: Plan) -> int:
    """Returns the places for rules that a new plan takes in memory, or will take."""
    in_order: InOrder = plan[-1]
    return in_order.tests


def _test_in_order(
    plan: Plan,
    t: str,
    i: str,
    s: Attributes,
    n: str,
    r: Attributes,
    a: Attributes,
    c: Attributes,
    h: HasGroups,
) -> int:
    rules: InOrder = plan[-1]
    rules.count(plan)
    return rules.carefully(t, i, s, n, r, a, c, h)
