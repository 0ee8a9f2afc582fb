"""A rule: a clause as it applies to a subject by one path. Rules are ranked, tested in order and reported.

A set of roles with their paths chooses the rules of a subject.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from ...bundles.program.clauses import Clause
from ..requests.members import Attributes
from .conditions import Conjunction
from .memberships import HasGroups
from .reasons import PATH_RANK, Answer, PolicyPath, allowed, denied


@dataclass(frozen=True, slots=True, eq=False)
class RoleSet:
    """The roles that a subject holds, by number and path, sorted. There is one object for each set.

    PERF: it is a key by its identity, so that to look it up costs no comparison of roles.
    """

    held: tuple[tuple[int, PolicyPath], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A clause by a path. There is one for each (clause, path); all subjects who hold one of its roles share it.

    `rank` orders the rules of one effect as D8 reports them.
    """

    clause: Clause
    path: PolicyPath
    body: Conjunction
    rank: tuple[int, int, str]
    override: Answer
    """The answer if it overrides another rule."""
    explicit: Answer
    """The answer if it stands alone."""

    @property
    def never_holds(self) -> bool:
        """True if its conditions are false for every request."""
        return self.body.never_holds


def make_rule(clause: Clause, path: PolicyPath, body: Conjunction) -> Rule:
    """Returns the rule of a clause by a path. The path of a DENY is not reported, and does not rank it (D8)."""
    match clause.effect:
        case "ALLOW":
            rank = PATH_RANK[path]
            override = explicit = allowed(clause, path)
        case "DENY":
            rank = 0
            override, explicit = denied(clause, overrides=True), denied(clause, overrides=False)
        case _:
            assert_never(clause.effect)
    return Rule(clause, path, body, (-clause.priority, rank, clause.policy), override, explicit)


def is_within_limit(rule: Rule, numbers: Mapping[str, int]) -> bool:
    """Returns whether an evaluation was counted for a rule with a rate limit (C10).

    `numbers` are those of `Answer.rates`.
    """
    number, rate = numbers.get(rule.clause.policy), rule.body.rate
    return number is not None and rate is not None and number <= rate.limit


def first_that_holds(
    rules: Iterable[Rule],
    t: str,
    i: str | None,
    s: Attributes,
    n: str | None,
    r: Attributes,
    a: Attributes,
    c: Attributes,
    h: HasGroups,
    now: float,
) -> Rule | None:
    """Returns the first of `rules` whose tests all hold, or None. `t` to `now` are the arguments of a test.

    INVARIANT: this loop defines what testing rules in order means. The functions that `written_plan` writes do the
    same. `test_every_way_is_the_plain_loop` proves that they agree with it.
    """
    for rule in rules:
        for test in rule.body.tests:
            if not test(t, i, s, n, r, a, c, h, now):
                break
        else:
            return rule
    return None
