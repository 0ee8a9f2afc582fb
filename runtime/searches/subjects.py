"""Decides the candidates of a subject search. It goes from the rules to their roles and to the roles' holders (S2)."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ...bundles.conditions.attribute_keys import OWN_KEYS, read, steps_of
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.references import GROUPS
from ...bundles.conditions.trees.canonical import canonical_tree
from ...bundles.conditions.trees.tree import FALSE, FilterTree
from ...bundles.conditions.values import Json
from ...bundles.program.clauses import AgainstNow, Clause, Comparison, Reference
from ..decisions.decide import holder_of
from ..decisions.on_behalf import as_faults_of
from ..filters.partial import OnAttribute, Residual, parted, residual_of
from ..filters.referred_values import frozen, thawed
from ..requests.members import NO_ATTRIBUTES, Attributes
from ..requests.options import named_actors
from ..requests.searches import SubjectSearch
from ..rules.conditions import conjunction
from ..rules.foreign_values import path_of
from ..rules.memberships import NOBODY
from ..rules.reasons import GrantingPath
from ..rules.specialise import TypeRules
from ..snapshot import Snapshot
from .searchers import Searcher, conditions_for, is_granted, resource_of, searcher_of
from .turned import on_subjects


class SubjectRule(NamedTuple):
    """The subjects that some ALLOWs may permit."""

    roles: tuple[str, ...] | None
    """The ids of roles, one of which the subject holds. None means everyone."""
    where: FilterTree
    """The condition on the subject's attributes."""


@dataclass(frozen=True, slots=True, eq=False)
class SubjectJudge:
    """One search, decided as far as possible without its candidates."""

    rules: tuple[SubjectRule, ...]
    """Rules that cover every candidate that a policy permits."""
    granted_on: tuple[str, str] | None
    """The resource whose direct grants count, by its type's id and its id, or None if its id is not known."""
    _snapshot: Snapshot
    _search: SubjectSearch
    _rules: TypeRules
    _resource_id: str | None
    _now: float

    def path(self, id: str, attributes: Attributes) -> GrantingPath | None:
        """Returns the access path by which a subject may do the action on the resource, or None if it may not."""
        search, snapshot, now = self._search, self._snapshot, self._now
        holder = holder_of(snapshot, search.subject_type, id, now)
        searcher = Searcher(search.subject_type, id, attributes, holder, candidate=True)
        conditions = conditions_for(snapshot, searcher, self._rules, search.action, search.context, now)
        granted = is_granted(snapshot, holder, self._rules.number, self._resource_id, search.action.name, now)
        return conditions.path(self._resource_id, search.resource.attributes, granted)


def judge_subjects(snapshot: Snapshot, search: SubjectSearch, now: float) -> SubjectJudge | None:
    """Returns the judge of a search, or None if it has no results.

    A search has no results if its type or its action is not declared, or if its resource is an unregistered instance
    of a closed type (E7, P1, S5). If the request has a context, gates are decided with it (S2). If the search has an
    actor, it stays the same for each candidate: if it may not do the action itself, there are no results (A1).
    """
    rules = snapshot.rules.types.get(search.resource.type)
    if rules is None or search.action.name not in rules.type.actions:
        return None
    id, in_reach = resource_of(snapshot, rules, search.resource)
    if not in_reach or not _actor_may(snapshot, search, rules, id, now):
        return None
    return SubjectJudge(
        rules=_subject_rules(rules, search, id, now),
        granted_on=None if id is None else (rules.type.id, id),
        _snapshot=snapshot,
        _search=search,
        _rules=rules,
        _resource_id=id,
        _now=now,
    )


def _actor_may(
    snapshot: Snapshot, search: SubjectSearch, rules: TypeRules, resource_id: str | None, now: float
) -> bool:
    """Returns whether each actor may do the action, if there are any."""
    for name, actor in named_actors(search.options.actor):
        searcher = searcher_of(snapshot, actor, now)
        with as_faults_of(name):
            conditions = conditions_for(snapshot, searcher, rules, search.action, search.context, now)
            granted = is_granted(snapshot, searcher.holder, rules.number, resource_id, search.action.name, now)
            if conditions.path(resource_id, search.resource.attributes, granted) is None:
                return False
    return True


def _subject_rules(rules: TypeRules, search: SubjectSearch, id: str | None, now: float) -> tuple[SubjectRule, ...]:
    """Returns the ALLOWs whose conditions on all but the subject hold, joined for each set of roles."""
    asked: dict[tuple[str, ...] | None, list[Residual]] = defaultdict(list)
    for clause in rules.allows(search.action.name):
        residual = _residual(clause, rules, search, id, now)
        if residual is not None:
            asked[clause.roles].append(residual)
    found = (SubjectRule(roles, canonical_tree(residuals, [])) for roles, residuals in asked.items())
    return tuple(rule for rule in found if rule.where != FALSE)


def _residual(clause: Clause, rules: TypeRules, search: SubjectSearch, id: str | None, now: float) -> Residual | None:
    """Returns the clause's conditions on the subject's attributes, or None if it holds for no subject."""
    of_subject, known, _ = parted(clause.body, "subject_attrs", decided=search.context is not None)
    residual = _on_subjects(of_subject, search, id)
    if residual is None:
        return None
    known.sort(key=lambda atom: isinstance(atom, Comparison) and atom.op == Operator.REGEX)
    # PERF: one by one, since most clauses fail at their first atom, and a pattern takes long to compile.
    state, effect, name = rules.state, clause.effect, rules.type.name
    tests = (test for atom in known for test in conjunction([atom], effect, name, state.zone, state.demands).tests)
    context = NO_ATTRIBUTES if search.context is None else search.context
    resource, properties = search.resource.attributes, search.action.properties
    arguments = (search.subject_type, None, NO_ATTRIBUTES, id, resource, properties, context, NOBODY, now)
    return residual if all(test(*arguments) for test in tests) else None


def _on_subjects(atoms: Iterable[OnAttribute], search: SubjectSearch, id: str | None) -> Residual | None:
    """Returns comparisons with subjects as a residual, or None if no subject fulfils them.

    A comparison with `now` becomes the question whether the attribute is present.
    """
    found: list[Comparison] = []
    for atom in atoms:
        if isinstance(atom, Comparison):
            found.append(atom)
            continue
        if isinstance(atom, AgainstNow):
            found.append(Comparison("subject_attrs", atom.key, Operator.NIN, []))
            continue
        conditions = on_subjects(atom, _given(atom, search, id))
        if conditions is None:
            return None
        found += (Comparison("subject_attrs", *condition) for condition in conditions)
    return residual_of(found, search.subject_type)


def _given(atom: Reference, search: SubjectSearch, id: str | None) -> Json:
    """Returns the value that a comparison takes from the request, or None if it is absent."""
    if atom.section == "subject_attrs" and atom.value_of == GROUPS:
        return None
    if atom.section == "subject_attrs":
        section, key = atom.value_of.section, atom.value_of.key
    else:
        section, key = atom.section, atom.key
    if section == "resource_attrs" and key in OWN_KEYS:
        return id if key == "id" else search.resource.type
    context = NO_ATTRIBUTES if search.context is None else search.context
    attributes = {
        "resource_attrs": search.resource.attributes,
        "action_attrs": search.action.properties,
        "context_attrs": context,
    }
    value = read(attributes[section], key, steps_of(key))
    return thawed(frozen(value, path_of(section, key)))
