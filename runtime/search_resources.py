"""Which resources of a type may a subject act on: each candidate decided by the rules of an evaluation (S2, S3)."""

from dataclasses import dataclass

from bundles.conditions.forms import Form
from runtime.direct import has_grants
from runtime.entities import NO_ATTRIBUTES, Attributes
from runtime.partial import Conditions
from runtime.search_requests import Action, ResourceSearch
from runtime.searchers import Searcher, conditions_for, is_granted, left_for, searcher_of
from runtime.snapshot import Snapshot
from runtime.specialise import TypeRules


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
    _searcher: Searcher
    _rules: TypeRules
    _searched: str
    _left: dict[str, Conditions]
    _now: float

    def path(self, id: str, attributes: Attributes) -> str | None:
        """The access path by which the subject may do the searched action on a registered resource, None if not."""
        return self._path(self._searched, id, attributes)

    def actions(self, id: str, attributes: Attributes) -> list[str]:
        """Every action that the subject may take on it, by name (S3)."""
        return [action for action in self._left if self._path(action, id, attributes) is not None]

    def _path(self, action: str, id: str, attributes: Attributes) -> str | None:
        holder, type = self._searcher.holder, self._rules.number
        granted = is_granted(self._snapshot, holder, type, id, action, self._now)
        return self._left[action].path(id, attributes, granted)


def judge_resources(snapshot: Snapshot, search: ResourceSearch, now: float) -> ResourceJudge | None:
    """The judge of a search, None where the type or the action is not declared: nothing is found (E7, P1).

    Gates are decided where the request has a context (S2). The action's properties belong to the searched one (S3).
    """
    rules = snapshot.rules.types.get(search.resource_type)
    if rules is None or search.action.name not in rules.type.actions:
        return None
    searcher = searcher_of(snapshot, search.subject, now)
    left = {
        name: conditions_for(
            snapshot,
            searcher,
            rules,
            search.action if name == search.action.name else Action(name, NO_ATTRIBUTES),
            search.context,
            now,
        )
        for name in sorted(rules.type.actions)
    }
    derived = left_for(snapshot, searcher, rules, search.action, search.context, now)
    granted = has_grants(snapshot, searcher.holder, rules.number, search.action.name, now)
    return ResourceJudge(
        type_id=rules.type.id,
        where=snapshot.rules.filters.filter(*derived).form,
        granted_to=(searcher.type, searcher.id) if granted and searcher.id is not None else None,
        _snapshot=snapshot,
        _searcher=searcher,
        _rules=rules,
        _searched=search.action.name,
        _left=left,
        _now=now,
    )
