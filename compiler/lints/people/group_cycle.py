"""The lint `group-cycle`: groups that contain each other. That is harmless (P3), and probably a mistake."""

from collections.abc import Iterator, Sequence

from ....bundles.wording import joined, quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..prepared_policy import PreparedPolicy
from .role_holders import Groups

_MOST_NAMED = 5


def group_cycle(draft: Draft, _policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each largest set of groups each of which contains all of them, at its first group."""
    above = Groups(draft.model).above
    places = {group.id: index for index, group in enumerate(draft.model.groups)}
    told: set[str] = set()
    for id, index in places.items():
        if id not in told and id in above.get(id, ()):
            cycle = sorted((other for other in above[id] if id in above.get(other, ())), key=places.__getitem__)
            told.update(cycle)
            yield Finding("group-cycle", _message(cycle), ("groups", index, "members"), severity="warning")


def _message(cycle: Sequence[str]) -> str:
    if len(cycle) == 1:
        return f"the group {quoted(cycle[0])} contains itself"
    named = [quoted(id) for id in cycle[:_MOST_NAMED]]
    more = [f"{len(cycle) - _MOST_NAMED} more"] if len(cycle) > _MOST_NAMED else []
    return f"the groups {joined([*named, *more], 'and')} contain each other, so they have the same members"
