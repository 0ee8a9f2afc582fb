"""A rule: a clause as it applies to a subject, by one path, ready to be tested, ranked and reported."""

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from ...bundles.program.clauses import Clause
from .attributes import Test
from .conditions import Conjunction, always, never
from .reasons import PATH_RANK, Answer, PolicyPath, allowed, denied

Ready: TypeAlias = tuple[Test, tuple[Test, ...], Answer, Answer]
"""A rule's first test, the rest of them, and its answers: where it overrides another rule, and where it stands alone.

PERF: most rules fail at their first test; a loop over all tests costs 30 ns more to begin, an attribute look-up 15.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A clause by a path. There is one for each (clause, path), shared by all who hold a role of it.

    `rank` orders the rules of one effect as D8 reports them.
    """

    clause: Clause
    path: PolicyPath
    body: Conjunction
    rank: tuple[int, int, str]
    ready: Ready

    @property
    def never_holds(self) -> bool:
        """Whether its conditions can't hold, whatever the request."""
        return never in self.body.tests


def make_rule(clause: Clause, path: PolicyPath, body: Conjunction) -> Rule:
    """The rule of a clause by a path; a DENY's path is not reported, and does not rank it (D8)."""
    match clause.effect:
        case "ALLOW":
            rank = PATH_RANK[path]
            override = explicit = allowed(clause, path)
        case "DENY":
            rank = 0
            override, explicit = denied(clause, overrides=True), denied(clause, overrides=False)
        case _:
            assert_never(clause.effect)
    first, *rest = body.tests or (always,)
    return Rule(clause, path, body, (-clause.priority, rank, clause.policy), (first, tuple(rest), override, explicit))
