"""Which resources of a type may a subject act on: each candidate decided by the rules of an evaluation (S2, S3)."""

from dataclasses import dataclass

from ...bundles.conditions.trees.tree import Form
from ..filters.partial import Conditions
from ..requests.members import NO_ATTRIBUTES, Attributes
from ..requests.searches import Action, ResourceSearch
from ..rules.reasons import GrantingPath
from ..rules.specialise import TypeRules
from ..snapshot import Snapshot
from .direct import has_grants
from .searchers import Searcher, conditions_for, is_granted, left_for, searcher_of


@dataclass(frozen=True, slots=True, eq=False)
class ResourceJudge:
    """One search, as far as it is decided without its candidates.

    `where` holds for every candidate that a policy admits; `granted_to` is the subject where direct grants of its
    count, None otherwise.
    """

    type_id: str
    where: Form
    granted_to: tuple[str, str] | None
    _snapshot: Snapshot
    _search: ResourceSearch
    _searcher: Searcher
    _rules: TypeRules
    _now: float
    _left: dict[str, Conditions]

    def path(self, id: str, attributes: Attributes) -> GrantingPath | None:
        """The access path by which the subject may do the searched action on a registered resource, None if not."""
        return self._path(self._search.action.name, id, attributes)

    def actions(self, id: str, attributes: Attributes) -> list[str]:
        """Every action that the subject may take on it, by name (S3)."""
        return [name for name in sorted(self._rules.type.actions) if self._path(name, id, attributes) is not None]

    def _path(self, action: str, id: str, attributes: Attributes) -> GrantingPath | None:
        holder, type = self._searcher.holder, self._rules.number
        granted = is_granted(self._snapshot, holder, type, id, action, self._now)
        return self._conditions(action).path(id, attributes, granted)

    def _conditions(self, action: str) -> Conditions:
        """What is left for an action; the properties that were sent belong to the searched one (S3)."""
        found = self._left.get(action)
        if found is None:
            other, context = Action(action, NO_ATTRIBUTES), self._search.context
            found = conditions_for(self._snapshot, self._searcher, self._rules, other, context, self._now)
            self._left[action] = found
        return found


def judge_resources(snapshot: Snapshot, search: ResourceSearch, now: float) -> ResourceJudge | None:
    """The judge of a search, None where the type or the action is not declared: nothing is found (E7, P1).

    Gates are decided where the request has a context (S2).
    """
    rules, action = snapshot.rules.types.get(search.resource_type), search.action
    if rules is None or action.name not in rules.type.actions:
        return None
    searcher, filters = searcher_of(snapshot, search.subject, now), snapshot.rules.filters
    derived = left_for(snapshot, searcher, rules, action, search.context, now)
    granted = has_grants(snapshot, searcher.holder, rules.number, action.name, now)
    return ResourceJudge(
        type_id=rules.type.id,
        where=filters.filter(*derived).form,
        granted_to=(searcher.type, searcher.id) if granted and searcher.id is not None else None,
        _snapshot=snapshot,
        _search=search,
        _searcher=searcher,
        _rules=rules,
        _now=now,
        _left={action.name: filters.conditions(*derived)},
    )
