"""Decides the candidates of a resource search by the rules of an evaluation (S2, S3)."""

from dataclasses import dataclass

from ...bundles.conditions.trees.tree import FilterTree
from ..decisions.on_behalf import as_faults_of
from ..filters.partial import RemainingRules
from ..requests.members import NO_ATTRIBUTES, Attributes
from ..requests.searches import Action, ResourceSearch
from ..rules.reasons import GrantingPath
from ..rules.specialise import TypeRules
from ..snapshot import Snapshot
from .direct import has_grants
from .searchers import Searcher, conditions_for, derived_for, is_granted, on_behalf, searcher_of


@dataclass(frozen=True, slots=True, eq=False)
class ResourceJudge:
    """One search, decided as far as possible without its candidates."""

    type_id: str
    where: FilterTree
    """A condition that holds for every candidate that a policy permits."""
    granted_to: tuple[str, str] | None
    """The type and id of the subject if it has direct grants that count, or else None."""
    _snapshot: Snapshot
    _search: ResourceSearch
    _searcher: Searcher
    _rules: TypeRules
    _now: float
    _conditions_by_action: dict[str, RemainingRules]
    _actors: tuple[tuple[str, "ResourceJudge"], ...] = ()
    """The judges for the actors by their names, who must be allowed too (A1)."""

    def path(self, id: str, attributes: Attributes) -> GrantingPath | None:
        """Returns the access path by which the subject may do the searched action, or None if it may not."""
        return self._path(self._search.action.name, id, attributes)

    def actions(self, id: str, attributes: Attributes) -> list[str]:
        """Returns every action that the subject may do on a resource, by name (S3)."""
        return [name for name in sorted(self._rules.type.actions) if self._path(name, id, attributes) is not None]

    def _path(self, action: str, id: str, attributes: Attributes) -> GrantingPath | None:
        for actor, judge in self._actors:
            with as_faults_of(actor):
                if judge._path(action, id, attributes) is None:
                    return None
        holder, type = self._searcher.holder, self._rules.number
        granted = is_granted(self._snapshot, holder, type, id, action, self._now)
        return self._conditions(action).path(id, attributes, granted)

    def _conditions(self, action: str) -> RemainingRules:
        """Returns the conditions of an action. Properties that were sent belong to the searched action alone (S3)."""
        found = self._conditions_by_action.get(action)
        if found is None:
            other, context = Action(action, NO_ATTRIBUTES), self._search.results_context
            found = conditions_for(self._snapshot, self._searcher, self._rules, other, context, self._now)
            self._conditions_by_action[action] = found
        return found


def judge_resources(snapshot: Snapshot, search: ResourceSearch, now: float) -> ResourceJudge | None:
    """Returns the judge of a search, or None if the type or the action is not declared (E7, P1).

    Gates are decided with the context of the results, if there is one (S2, F7). If the search has actors, all must be
    allowed, and the paths are those of the subject (A1).
    """
    rules, action = snapshot.rules.types.get(search.resource_type), search.action
    if rules is None or action.name not in rules.type.actions:
        return None
    acting = [(actor, _judge_of_actor(snapshot, actor, one, now)) for actor, one in on_behalf(search)]
    searcher, filters = searcher_of(snapshot, search.subject, now), snapshot.rules.filters
    derived = derived_for(snapshot, searcher, rules, action, search.results_context, now)
    granted = has_grants(snapshot, searcher.holder, rules.number, action.name, now)
    return ResourceJudge(
        type_id=rules.type.id,
        where=filters.filter(*derived).tree,
        granted_to=(searcher.type, searcher.id) if granted and searcher.id is not None else None,
        _snapshot=snapshot,
        _search=search,
        _searcher=searcher,
        _rules=rules,
        _now=now,
        _conditions_by_action={action.name: filters.conditions(*derived)},
        _actors=tuple((actor, judge) for actor, judge in acting if judge is not None),
    )


def _judge_of_actor(snapshot: Snapshot, actor: str, search: ResourceSearch, now: float) -> ResourceJudge | None:
    with as_faults_of(actor):
        return judge_resources(snapshot, search, now)
