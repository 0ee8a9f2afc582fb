"""Conditions under known values: what is known is decided, and what is open stays (X2, X5, C8, C9)."""

from collections.abc import Iterable
from typing import Final

from ....bundles.conditions.addresses import read_address
from ....bundles.conditions.comparisons import predicate
from ....bundles.conditions.gates import ADDRESS, INSTANT, V6_START, Span
from ....bundles.conditions.instants import EARLIEST, END
from ....bundles.conditions.intervals import united
from ....bundles.conditions.operators import Operator
from ....bundles.conditions.references import GROUPS, is_comparable, read_value_of
from ....bundles.conditions.trees.instant_comparisons import instant_of_text
from ..conditions.relations import comparison_of
from ..conditions.variables import (
    ABSENT,
    AFTER,
    BEFORE,
    CLOCK,
    MISSING,
    PRESENT,
    SAME,
    UNREADABLE,
    Body,
    Literal,
    SpanTest,
    ValueTest,
    attribute,
    is_attribute,
    is_now,
    is_reference,
    is_week,
    parts,
    value_test,
)
from ..differences.diagram import NamedBody
from ..values.instants_tried import ZoneOf, fits, in_cell
from .question import OPEN, Known

_TURNED: Final = {
    Operator.EQ: Operator.EQ,
    Operator.NE: Operator.NE,
    Operator.GT: Operator.LT,
    Operator.GTE: Operator.LTE,
    Operator.LT: Operator.GT,
    Operator.LTE: Operator.GTE,
    Operator.IN: Operator.HAS,
    Operator.HAS: Operator.IN,
}
"""The operator of a comparison that is read from right to left."""

_READS_ALL: Final = (Operator.EQ, Operator.NE, Operator.HAS)
"""The operators that take any value as their constant, so that only an absent one can't be read."""


def under(rules: Iterable[NamedBody], known: Known, zone_of: ZoneOf) -> frozenset[NamedBody]:
    """Returns the rules that can still hold, without the conditions that are known to hold."""
    found = ((effect, _body(effect, body, known, zone_of)) for effect, body in rules)
    return frozenset((effect, body) for effect, body in found if body is not None)


def _body(effect: str, body: Body, known: Known, zone_of: ZoneOf) -> Body | None:
    """Returns the conditions that are left, or None if one of them can't hold."""
    left: set[Literal] = set()
    for literal in body:
        if _misfits(literal[0], known):
            if effect == "DENY":
                continue
            return None
        found = _literal(*literal, known, zone_of)
        if found is False:
            return None
        if found is not True:
            left.add(found)
    return frozenset(left)


def _misfits(key: str, known: Known) -> bool:
    """Returns whether a comparison can't be read: then it holds in a DENY alone (C13)."""
    if is_attribute(key):
        section, name = parts(key)
        return known.misfits(section, name)
    if not is_reference(key):
        return False
    _, section, name, text = parts(key)
    other = read_value_of(text)
    return known.misfits(section, name) or (other is not None and known.misfits(other.section, other.key))


def _literal(key: str, test: ValueTest | SpanTest, known: Known, zone_of: ZoneOf) -> Literal | bool:
    """Returns the literal that is left, or whether it holds."""
    if isinstance(test, ValueTest):
        return _compared(key, test, known)
    if key == CLOCK:
        return in_cell(test, known.question.now)
    if key == INSTANT or is_week(key):
        instant = known.question.sent_instant
        return (key, test) if instant is OPEN else fits(key, test, instant, zone_of)
    if key == ADDRESS:
        return _address(test, known)
    if is_now(key):
        return _against_now(key, test, known)
    return _referred(key, test, known) if is_reference(key) else (key, test)


def _compared(key: str, test: ValueTest, known: Known) -> Literal | bool:
    value = known.value(*parts(key)) if is_attribute(key) else OPEN
    if value is OPEN:
        return key, test
    return test.or_missing if value is None else predicate(test.op, test.value)(value)


def _address(test: SpanTest, known: Known) -> Literal | bool:
    sent = [known.value("context_attrs", key) for key in ("ip", "ip_address")]
    if all(one is OPEN for one in sent):
        return ADDRESS, test
    value = next((one for one in sent if one is not OPEN and one is not None), None)
    if value is None:
        return (ADDRESS, test) if OPEN in sent else MISSING in test.states
    address = read_address(value)
    if address is None:
        return UNREADABLE in test.states
    version, number = address
    return in_cell(test, number + (V6_START if version == 6 else 0))


def _against_now(key: str, test: SpanTest, known: Known) -> Literal | bool:
    """Returns what is left of a comparison of an attribute with the instant of the request (X5)."""
    _, section, name = parts(key)
    value, instant = known.value(section, name), known.question.sent_instant
    if value is None:
        return MISSING in test.states
    if value is OPEN:
        if instant is not None:
            return key, test
        return (attribute(section, name), PRESENT) if UNREADABLE in test.states else False
    at = instant_of_text(value)
    if at is None or instant is None:
        return UNREADABLE in test.states
    spans: list[Span] = []
    for state, span in ((AFTER, (EARLIEST, at)), (SAME, (at, at + 1)), (BEFORE, (at + 1, END))):
        if state in test.states and span[0] < span[1]:
            spans.append(span)
    left = SpanTest(tuple(united(spans)), test.states & {UNREADABLE})
    return (INSTANT, left) if instant is OPEN else in_cell(left, instant)


def _referred(key: str, test: SpanTest, known: Known) -> Literal | bool:
    """Returns what is left of a comparison with a reference (X2)."""
    _, section, name, text = parts(key)
    value_of = read_value_of(text)
    op, or_unread = comparison_of(test.states)
    assert value_of is not None, "the key has a reference"
    left = known.value(section, name)
    right = known.groups if value_of == GROUPS else known.value(value_of.section, value_of.key)
    if left is None:
        return False
    if right is not OPEN:
        readable = right is not None and is_comparable(op, right)
        if not readable and not or_unread:
            return False
        return _compared(attribute(section, name), value_test(op, right) if readable else PRESENT, known)
    turned = _TURNED.get(op)
    if left is OPEN or turned is None or (or_unread and op not in _READS_ALL):
        return key, test
    other = attribute(value_of.section, value_of.key)
    if not is_comparable(turned, left):
        return (other, ABSENT) if or_unread else False
    return other, value_test(turned, left, or_missing=or_unread)
