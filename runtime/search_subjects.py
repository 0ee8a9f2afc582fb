"""Which subjects of a type may act on a resource: from the rules to their roles, and to the holders of these (S2)."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from bundles.conditions.canonical import canonical_form
from bundles.conditions.forms import FALSE, Form
from bundles.program import Atom, Clause, Comparison, Rate, is_gate
from runtime.conditions import conjunction
from runtime.decide import holder_of
from runtime.entities import NO_ATTRIBUTES, Attributes
from runtime.partial import Residual
from runtime.search_requests import SubjectSearch
from runtime.searchers import Searcher, conditions_for, is_granted
from runtime.snapshot import Snapshot
from runtime.specialise import TypeRules


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

    def path(self, id: str, attributes: Attributes) -> str | None:
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
    resource = search.resource
    rules = snapshot.rules.types.get(resource.type)
    if rules is None or search.action.name not in rules.type.actions:
        return None
    number, by = rules.number, resource.named_by
    id = resource.name if by == "id" else snapshot.state.resource_id(number, by, resource.name)
    if rules.type.closed and not (id is not None and snapshot.state.is_registered(number, id)):
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
    of_subject, known = _parted(clause.body, decided=search.context is not None)
    known += [atom for atom in of_subject if atom.key == "type"]
    known.sort(key=lambda atom: isinstance(atom, Comparison) and atom.op == "regex")
    # PERF: one by one, since most clauses fail at their first atom, and a pattern takes long to compile.
    tests = (
        test for atom in known for test in conjunction([atom], clause.effect, rules.type.name, rules.state.zone).tests
    )
    context = NO_ATTRIBUTES if search.context is None else search.context
    resource, properties = search.resource.attributes, search.action.properties
    arguments = (search.subject_type, None, NO_ATTRIBUTES, id, resource, properties, context, now)
    if not all(test(*arguments) for test in tests):
        return None
    return tuple((atom.key, atom.op, atom.value) for atom in of_subject if atom.key != "type")


def _parted(body: Iterable[Atom], decided: bool) -> tuple[list[Comparison], list[Atom]]:
    """The comparisons with the subject's attributes, and what else is decided; rate limits never are (C10)."""
    of_subject: list[Comparison] = []
    known: list[Atom] = []
    for atom in body:
        if isinstance(atom, Comparison) and atom.section == "subject_attrs":
            of_subject.append(atom)
        elif not is_gate(atom) or (decided and not isinstance(atom, Rate)):
            known.append(atom)
    return of_subject, known
