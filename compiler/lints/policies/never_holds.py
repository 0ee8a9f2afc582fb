"""The lint `never-holds`: a policy whose comparisons of one attribute contradict each other."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from ....bundles.conditions.operators import Operator
from ....bundles.conditions.trees.domain import Test, is_satisfiable
from ....bundles.wording import joined, quoted
from ...checks.conditions_of import LocatedCondition
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..prepared_policy import Attribute, PreparedPolicy

_MOST_SHOWN = 3
_HELP = "all conditions of a policy must be true together; for alternatives, write one policy for each"


def never_holds(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each policy with comparisons of an attribute that no value passes together.

    That is exact, but for what several patterns match together. An `in` without constants has its own warning.
    """
    for prepared in policies:
        if prepared.is_satisfiable:
            continue
        for attribute, tests in prepared.tests.items():
            if (Operator.IN, []) not in tests and not is_satisfiable(tests):
                yield _finding(prepared, attribute, tests)
                break
        else:
            if prepared.opposed is not None:
                yield _opposed(prepared, prepared.opposed)


def _opposed(prepared: PreparedPolicy, located: LocatedCondition) -> Finding:
    """Returns the finding about a comparison with a reference that contradicts the earlier ones."""
    policy, condition = prepared.policy, located.condition
    message = (
        f"the {policy.effect} {quoted(policy.id)} never holds: its comparisons of {quoted(condition.key)} with"
        f" {quoted(condition.value_of)} contradict each other"
    )
    return Finding("never-holds", message, located.path, _HELP, severity="warning")


def _finding(prepared: PreparedPolicy, attribute: Attribute, tests: Sequence[Test]) -> Finding:
    section, key = attribute
    guilty = _guilty(tests)
    shown = joined([_shown(tests[at]) for at in guilty[:_MOST_SHOWN]], "and")
    policy = prepared.policy
    message = f"the {policy.effect} {quoted(policy.id)} never holds: no {quoted(key)} is {shown}"
    conditions = getattr(policy.conditions, section)
    places = [place for place, condition in enumerate(conditions) if condition.key == key]
    path = ("policies", prepared.index, "conditions", section, places[guilty[-1]])
    return Finding("never-holds", message, path, _HELP, severity="warning")


def _guilty(tests: Sequence[Test]) -> Sequence[int]:
    """Returns the first two tests that contradict each other, or all if only more do so together."""
    pairs = combinations(range(len(tests)), 2)
    return next((pair for pair in pairs if not is_satisfiable([tests[at] for at in pair])), range(len(tests)))


def _shown(test: Test) -> str:
    op, constant = test
    return f"{quoted(op)} {'an array' if isinstance(constant, list) else quoted(constant)}"
