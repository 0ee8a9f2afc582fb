"""The lint `redundant-policy`: a policy without which everyone may do the same, because of another policy."""

from collections.abc import Iterator, Sequence

from ....bundles.wording import quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..overlap import Budget
from ..prepared_policy import PreparedPolicy
from .cover_index import CoverIndex
from .implication import Implication, applies_to_all_of

_VERBS = {"ALLOW": "allows", "DENY": "denies"}


def redundant_policy(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each policy if another one of its effect holds whenever it does. Raises OutOfSteps.

    The other one has all its types and actions, and applies to all its subjects. Of equal policies, the first is not
    redundant. What decisions report, such as the id of the policy, may change without it.
    """
    budget = Budget(draft.limits.lint_steps)
    for effect in _VERBS:
        same = [prepared for prepared in policies if prepared.policy.effect == effect and prepared.is_satisfiable]
        index, implication = CoverIndex(same, budget), Implication(budget)
        for prepared in same:
            wide = _wider(prepared, index, implication)
            if wide is not None:
                yield _finding(prepared, wide)


def _wider(prepared: PreparedPolicy, index: CoverIndex, implication: Implication) -> PreparedPolicy | None:
    """Returns the first other policy that covers this one, but not an equal one that comes later."""
    for other in index.covering(prepared):
        if _covers(other, prepared, implication):
            may_be_equal = other.index > prepared.index and other.pairs == prepared.pairs
            if not (may_be_equal and _covers(prepared, other, implication)):
                return other
    return None


def _covers(wide: PreparedPolicy, narrow: PreparedPolicy, implication: Implication) -> bool:
    return applies_to_all_of(wide, narrow) and implication.holds(narrow, wide)


def _finding(prepared: PreparedPolicy, wide: PreparedPolicy) -> Finding:
    effect, other = prepared.policy.effect, quoted(wide.policy.id)
    message = (
        f"the {effect} {quoted(prepared.policy.id)} changes nothing for anyone: the {effect} {other} {_VERBS[effect]}"
        " all of it"
    )
    help_text = f"leave it out, or make {other} narrower"
    return Finding("redundant-policy", message, ("policies", prepared.index, "id"), help_text, severity="warning")
