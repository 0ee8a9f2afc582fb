"""Which subjects of a type may act on a resource: from the rules to their roles, and to the holders of these (S2)."""

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from ...bundles.conditions.operators import Operator
from ...bundles.conditions.trees.canonical import canonical_form
from ...bundles.conditions.trees.tree import FALSE, Form
from ...bundles.program.clauses import Clause, Comparison
from ..decisions.decide import holder_of
from ..filters.partial import Residual, parted, residual_of
from ..requests.members import NO_ATTRIBUTES, Attributes
from ..requests.searches import SubjectSearch
from ..rules.conditions import conjunction
from ..rules.reasons import GrantingPath
from ..rules.specialise import TypeRules
from ..snapshot import Snapshot
from .searchers import Searcher, conditions_for, is_granted, resource_of


class SubjectRule(NamedTuple):
    """Who may be found by some ALLOWs: the holders of one of `roles`, by their ids, None for everyone, of whose
    attributes `where` holds.
    """

    roles: tuple[str, ...] | None
    where: Form


@dataclass(frozen=True, slots=True, eq=False)
class SubjectJudge:
    """One search, as far as it is decided without its candidates.

    `rules` cover every candidate that a policy admits; `granted_on` is the resource, by its type's id and its id, on
    which direct grants count, None where its id is not known.
    """

    rules: tuple[SubjectRule, ...]
    granted_on: tuple[str, str] | None
    _snapshot: Snapshot
    _search: SubjectSearch
    _rules: TypeRules
    _resource_id: str | None
    _now: float

    def path(self, id: str, attributes: Attributes) -> GrantingPath | None:
        """The access path by which a registered subject may do the action on the resource, None if it may not."""
        search, snapshot, now = self._search, self._snapshot, self._now
        holder = holder_of(snapshot, search.subject_type, id, now)
        searcher = Searcher(search.subject_type, id, attributes, holder)
        left = conditions_for(snapshot, searcher, self._rules, search.action, search.context, now)
        granted = is_granted(snapshot, holder, self._rules.number, self._resource_id, search.action.name, now)
        return left.path(self._resource_id, search.resource.attributes, granted)


def judge_subjects(snapshot: Snapshot, search: SubjectSearch, now: float) -> SubjectJudge | None:
    """The judge of a search, None where nobody is found: the type or the action is not declared, or the resource is an
    unregistered instance of a closed type (E7, P1, S5). Gates are decided where the request has a context (S2).
    """
    rules = snapshot.rules.types.get(search.resource.type)
    if rules is None or search.action.name not in rules.type.actions:
        return None
    id, in_reach = resource_of(snapshot, rules, search.resource)
    if not in_reach:
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


def _subject_rules(rules: TypeRules, search: SubjectSearch, id: str | None, now: float) -> tuple[SubjectRule, ...]:
    """The ALLOWs that the resource, the action and decided gates leave, together for each set of roles."""
    asked: dict[tuple[str, ...] | None, list[Residual]] = defaultdict(list)
    for clause in rules.allows(search.action.name):
        residual = _residual(clause, rules, search, id, now)
        if residual is not None:
            asked[clause.roles].append(residual)
    found = (SubjectRule(roles, canonical_form(residuals, [])) for roles, residuals in asked.items())
    return tuple(rule for rule in found if rule.where != FALSE)


def _residual(clause: Clause, rules: TypeRules, search: SubjectSearch, id: str | None, now: float) -> Residual | None:
    """What a clause asks of the subject's attributes, None where it does not hold whoever asks."""
    of_subject, known, _ = parted(clause.body, "subject_attrs", decided=search.context is not None)
    residual = residual_of(of_subject, search.subject_type)
    if residual is None:
        return None
    known.sort(key=lambda atom: isinstance(atom, Comparison) and atom.op == Operator.REGEX)
    # PERF: one by one, since most clauses fail at their first atom, and a pattern takes long to compile.
    tests = (
        test for atom in known for test in conjunction([atom], clause.effect, rules.type.name, rules.state.zone).tests
    )
    context = NO_ATTRIBUTES if search.context is None else search.context
    resource, properties = search.resource.attributes, search.action.properties
    arguments = (search.subject_type, None, NO_ATTRIBUTES, id, resource, properties, context, now)
    return residual if all(test(*arguments) for test in tests) else None
