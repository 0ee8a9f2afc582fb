"""Words the value of a request that a comparison names in place of a constant (X1, X2)."""

from collections.abc import Mapping
from typing import Any

from ....bundles.conditions.operators import OPERATORS, Operator
from ....bundles.conditions.references import GROUPS, is_comparable, read_value_of
from ....bundles.conditions.values import Json
from ....bundles.wording import quoted
from .comparison_words import PREDICATES, Predicate, about
from .plain_values import listed, short_value


def referred(text: str) -> str:
    """Returns the words for the value that a reference names. The groups of a subject are no attribute.

    >>> referred("subject.id"), referred("subject.groups")
    ('the `id` of the subject', 'the groups of the subject')
    """
    value_of = read_value_of(text)
    if value_of is None:
        return quoted(text)
    return "the groups of the subject" if value_of == GROUPS else f"the {quoted(value_of.key)} of the {value_of.source}"


def predicate_of_reference(op: Operator, words: str) -> Predicate:
    """Returns the predicate of a comparison with a value that the words name.

    >>> predicate_of_reference(Operator.IN, referred("subject.groups")).holds
    'is one of the groups of the subject'
    """
    return about(PREDICATES[op], words)


def may_be_unreadable(op: Operator, text: str) -> bool:
    """Returns whether a request may lack the value that a reference names, or send one that does not fit (X2)."""
    return read_value_of(text) != GROUPS or not is_comparable(op, [])


def found_value(condition: Mapping[str, Any]) -> str:
    """Returns the value that a comparison of a proof referred to.

    >>> found_value({"value": ["eng", "ops"]}), found_value({"value": []}), found_value({"value": None})
    ('"eng" or "ops"', 'no values', 'missing')
    """
    if condition.get("value_hidden"):
        return "a registered value that is not shown here"
    value: Json = condition["value"]
    if condition.get("value_cut"):
        return f"{value}…"
    if isinstance(value, list):
        return listed([*map(short_value, value)], "or") if value else "no values"
    return "missing" if value is None else short_value(value)


def fits(condition: Mapping[str, Any]) -> bool:
    """Returns whether a comparison of a proof could read the value to which it referred (X2).

    A newer service may have operators that this program has not. A value that is cut or hidden counts as one that fits.
    """
    op = condition["op"]
    unknown = condition.get("value_cut") or condition.get("value_hidden")
    return bool(unknown) or op not in OPERATORS or is_comparable(Operator(op), condition["value"])
