"""The lint `dead-allow`: DENY policies deny all that an ALLOW allows, to everyone whom it allows (D7)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ....bundles.wording import joined, quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...lowering.lower import EVERYTHING
from ..overlap import Budget, can_overlap
from ..prepared_policy import Pair, PreparedPolicy
from .cover_index import CoverIndex
from .implication import Implication, applies_to_all_of, covered_by, gates_imply

MOST_TOGETHER = 64
"""The most DENY policies that are looked at together."""

_MOST_NAMED = 3
_HELP = "a DENY wins over every ALLOW; give it roles or conditions that leave out those who should have access"


def dead_allow(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each ALLOW that DENY policies switch off for everyone, on all resources that it is about.

    Then no subject can do its actions on this class of resources, not even one whom the ALLOW is for. The DENY policies
    apply to all its subjects, and one of them holds whenever the ALLOW does. An action that it only covers by `*`
    counts if all of the ALLOW is dead. Raises OutOfSteps.
    """
    budget = Budget(draft.limits.lint_steps)
    index = CoverIndex((prepared for prepared in policies if prepared.policy.effect == "DENY"), budget)
    cover = _Cover(budget)
    for allow in policies:
        if allow.policy.effect == "ALLOW" and allow.is_satisfiable:
            denies = [deny for deny in index.meeting(allow) if _may_cover(deny, allow)]
            if denies:
                yield from _findings(allow, denies, cover, budget)


def _may_cover(deny: PreparedPolicy, allow: PreparedPolicy) -> bool:
    return applies_to_all_of(deny, allow) and gates_imply(allow, deny)


def _findings(
    allow: PreparedPolicy, denies: Sequence[PreparedPolicy], cover: "_Cover", budget: Budget
) -> Iterator[Finding]:
    by_denies: dict[tuple[int, ...], list[Pair]] = defaultdict(list)
    for pair in sorted(allow.pairs):
        budget.spend(1 + len(denies))
        by_denies[tuple(place for place, deny in enumerate(denies) if pair in deny.pairs)].append(pair)
    dead: list[Pair] = []
    guilty: dict[str, None] = {}
    for places, pairs in by_denies.items():
        covering = cover.of(allow, [denies[place] for place in places])
        if covering:
            dead += pairs
            guilty |= dict.fromkeys(deny.policy.id for deny in covering)
    if len(dead) < len(allow.pairs):
        dead = [pair for pair in dead if _is_named(allow, pair)]
    if dead:
        yield _finding(allow, dead, list(guilty))


class _Cover:
    def __init__(self, budget: Budget):
        self._budget = budget
        self._implication = Implication(budget)

    def of(self, allow: PreparedPolicy, denies: Sequence[PreparedPolicy]) -> Sequence[PreparedPolicy]:
        """Returns one DENY that holds whenever `allow` does, or several that do so together, or none."""
        for deny in denies:
            if self._implication.holds(allow, deny):
                return (deny,)
        together = [deny for deny in denies if can_overlap(deny, allow, self._budget)][:MOST_TOGETHER]
        return together if len(together) > 1 and covered_by(allow, together, self._budget) else ()


def _is_named(allow: PreparedPolicy, pair: Pair) -> bool:
    return any(
        scope.resource_type_id == pair[0] and pair[1] in scope.actions for scope in allow.policy.resource_types
    ) or any(scope.resource_type_id == EVERYTHING and pair[1] in scope.actions for scope in allow.policy.resource_types)


def _finding(allow: PreparedPolicy, dead: Sequence[Pair], guilty: Sequence[str]) -> Finding:
    id = quoted(allow.policy.id)
    if len(dead) == len(allow.pairs):
        what = f"the ALLOW {id} allows nothing"
    else:
        shown = [f"{quoted(action)} on {quoted(type)}" for type, action in dead[:_MOST_NAMED]]
        more = [f"{len(dead) - _MOST_NAMED} more"] if len(dead) > _MOST_NAMED else []
        what = f"the ALLOW {id} allows no {joined([*shown, *more], 'or')}"
    names = [quoted(one) for one in guilty[:_MOST_NAMED]]
    more = [f"{len(guilty) - _MOST_NAMED} more"] if len(guilty) > _MOST_NAMED else []
    verb = "deny" if len(guilty) > 1 else "denies"
    message = f"{what}: {joined([*names, *more], 'and')} {verb} all of that"
    return Finding("dead-allow", message, ("policies", allow.index, "effect"), _HELP, severity="warning")
