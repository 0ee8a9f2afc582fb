"""Translates the conditions of a clause to literals of an analysis, by its effect (C1 to C12).

What depends on the subject alone, such as its id, is left for each class of subjects: see `pair_rules`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from ....bundles.conditions.attribute_keys import OWN_KEYS
from ....bundles.conditions.comparisons import predicate
from ....bundles.conditions.gates import ADDRESS, allowlist_spans, window_spans
from ....bundles.conditions.operators import Operator, Ordering
from ....bundles.conditions.references import GROUPS, ValueOf
from ....bundles.conditions.windows import TimeWindow
from ....bundles.program.clauses import (
    AgainstNow,
    Atom,
    Clause,
    Comparison,
    During,
    From,
    Rate,
    Reference,
    required_by,
)
from ..limits import DEFAULT
from .relations import tested
from .variables import (
    ABSENT,
    AFTER,
    BEFORE,
    PRESENT,
    RATE,
    SAME,
    UNREADABLE,
    YES,
    Body,
    Literal,
    SpanTest,
    ValueTest,
    attribute,
    now_of,
    reference,
    states,
    value_test,
)

Alternatives: TypeAlias = frozenset[Body]
"""Conjunctions, one of which must hold. Without any, nothing holds."""

_ORDERS: dict[Ordering, tuple[str, ...]] = {
    Operator.GT: (AFTER,),
    Operator.GTE: (SAME, AFTER),
    Operator.LT: (BEFORE,),
    Operator.LTE: (BEFORE, SAME),
}

NEVER: Alternatives = frozenset()
ALWAYS: Alternatives = frozenset({frozenset()})
_UNREACHED: Alternatives = frozenset({frozenset({(RATE, states(YES))})})


class TooManyAlternatives(Exception):
    """A policy has too many alternatives to be analysed."""


@dataclass(frozen=True)
class OwnTest:
    """A comparison of the subject's own id or type with a constant."""

    key: str
    test: ValueTest


@dataclass(frozen=True)
class Template:
    """A clause as it applies to a pair of type and action, without the name and the priority of its policy.

    `of_subject` are the conditions that each subject decides. `lacking` are, for each reference among them, the
    required attributes that it reads (C12).
    """

    effect: str
    roles: tuple[str, ...] | None
    except_roles: tuple[str, ...]
    alternatives: Alternatives
    of_subject: frozenset[OwnTest | Reference] = frozenset()
    lacking: frozenset[tuple[Reference, tuple[str, ...]]] = frozenset()


def template(clause: Clause, type_name: str, required: Sequence[str], *, open_rates: bool = False) -> Template:
    """Returns the template of a clause on one type. `required` are the required attributes of the model.

    A rate limit counts as not reached, or with `open_rates` as a condition (C10). Raises TooManyAlternatives.
    """
    of_subject: set[OwnTest | Reference] = set()
    lacking: set[tuple[Reference, tuple[str, ...]]] = set()
    alternatives = ALWAYS
    for atom in clause.body:
        if isinstance(atom, Comparison) and atom.section == "subject_attrs" and atom.key in OWN_KEYS:
            of_subject.add(OwnTest(atom.key, value_test(atom.op, atom.value)))
        elif isinstance(atom, Reference) and _is_of_subject(atom):
            of_subject.add(atom)
            lacking.add((atom, required_by(atom, required)))
        elif isinstance(atom, Rate) and open_rates:
            alternatives = both(alternatives, _UNREACHED)
        else:
            alternatives = both(alternatives, literals(atom, clause.effect, required, type_name))
    return Template(
        clause.effect, clause.roles, clause.except_roles, alternatives, frozenset(of_subject), frozenset(lacking)
    )


def both(left: Alternatives, right: Alternatives) -> Alternatives:
    """Returns the alternatives of "one of `left` and one of `right`". Raises TooManyAlternatives."""
    if len(left) * len(right) > DEFAULT.alternatives:
        raise TooManyAlternatives
    return frozenset(one | other for one, other in product(left, right))


def _is_of_subject(atom: Reference) -> bool:
    """Returns whether a reference names the subject's own key or groups, which are known of a subject."""
    return atom.value_of == GROUPS or (atom.value_of.source == "subject" and atom.value_of.key in OWN_KEYS)


def literals(atom: Atom, effect: str, required: Sequence[str], type_name: str) -> Alternatives:
    """Returns the alternatives of one condition that does not depend on the subject alone."""
    lacking = required_by(atom, required)
    match atom:
        case Comparison("resource_attrs", "type", op, value):
            return ALWAYS if predicate(op, value)(type_name) else NEVER
        case Comparison(section, key, op, value):
            or_missing = effect == "DENY" and section == "context_attrs" and key in required
            base: Iterable[Literal] = ((attribute(section, key), value_test(op, value, or_missing=or_missing)),)
            lacking = tuple(one for one in lacking if one != key)
        case Reference(section, key, op, value_of):
            base = (related(section, key, op, value_of, effect),)
        case AgainstNow(section, key, op):
            held: tuple[str, ...] = (*_ORDERS[op], UNREADABLE) if effect == "DENY" else _ORDERS[op]
            base = ((now_of(section, key), states(*held)),)
        case During(window):
            base = _window(window, effect)
        case From(blocks):
            unread = frozenset({UNREADABLE}) if effect == "DENY" else frozenset[str]()
            base = ((ADDRESS, SpanTest(allowlist_spans(blocks), unread)),)
        case Rate():
            return ALWAYS
    return with_required(frozenset(base), effect, lacking)


def related(section: str, key: str, op: Operator, value_of: ValueOf, effect: str) -> Literal:
    """Returns the literal of a comparison of an attribute with a reference (X2)."""
    return reference(section, key, str(value_of)), SpanTest((), tested(op, effect))


def with_required(base: Body, effect: str, lacking: Sequence[str]) -> Alternatives:
    """Returns the alternatives of a comparison, of which the context must have the attributes `lacking` (C12)."""
    keys = [attribute("context_attrs", one) for one in lacking]
    if effect == "DENY":
        return frozenset({base, *(frozenset({(key, ABSENT)}) for key in keys)})
    return frozenset({base | {(key, PRESENT) for key in keys}})


def _window(window: TimeWindow, effect: str) -> Iterator[Literal]:
    unread = frozenset({UNREADABLE}) if effect == "DENY" else frozenset[str]()
    for key, spans in window_spans(window):
        yield key, SpanTest(tuple(spans), unread)
