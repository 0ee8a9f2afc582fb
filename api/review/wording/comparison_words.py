"""Words a comparison of an attribute with a constant: what the attribute is, or what it must be (C2 to C6, X6)."""

from typing import Final, NamedTuple

from ....bundles.conditions.operators import OPERATORS, TAKES_LIST, Operator
from ....bundles.conditions.values import Json
from .plain_values import listed, short_value


class Predicate(NamedTuple):
    """A predicate about an attribute that has it, and about one that must have it. `{}` stands for the constant."""

    holds: str
    required: str


PREDICATES: Final = {
    op: Predicate(f"{row.phrase.states} {{}}", f"must {row.phrase.infinitive} {{}}") for op, row in OPERATORS.items()
}
"""The predicate of each operator. One that needs a value says so: a comparison with a missing one is false (C2)."""

_OF_TEXTS: Final = {
    Operator.GT: Predicate("is a text that sorts after {}", "must be a text that sorts after {}"),
    Operator.GTE: Predicate("is the text {} or sorts after it", "must be the text {} or sort after it"),
    Operator.LT: Predicate("is a text that sorts before {}", "must be a text that sorts before {}"),
    Operator.LTE: Predicate("is the text {} or sorts before it", "must be the text {} or sort before it"),
}
"""The comparisons of texts, by code point (C4)."""


_NEGATED: Final = {"is": "is not", "has": "does not have"}


def predicate(op: Operator, constant: Json) -> Predicate:
    """Returns the predicate of a comparison with its constant.

    >>> predicate(Operator.NIN, ["final", "closed"]).holds
    'has a value that is none of "final" or "closed"'
    >>> predicate(Operator.GTE, "m").required
    'must be the text "m" or sort after it'
    """
    if TAKES_LIST[op] and isinstance(constant, list):
        if not constant:
            return _of_no_values(op)
        return about(PREDICATES[op], listed([*map(short_value, constant)], "or"))
    return about(_template(op, isinstance(constant, str)), short_value(constant))


def predicate_of_cut(op: Operator, start: str) -> Predicate:
    """Returns the predicate of a comparison whose constant is cut: `start` is the start of its JSON text.

    >>> predicate_of_cut(Operator.EQ, '"aaa').holds
    'is "aaa…'
    """
    return about(_template(op, start.startswith('"')), f"{start}…")


def consequence(holds: bool, effect: str) -> str:
    """Returns what follows if a comparison can't be decided: a DENY holds, any other condition does not (C11, C12, X2).

    >>> consequence(True, "DENY"), consequence(False, "ALLOW")
    ('the DENY holds', 'the condition does not hold')
    """
    return "the DENY holds" if holds and effect == "DENY" else "the condition does not hold"


def negated(words: str) -> str:
    """Returns the negation of a predicate. One that is true of a text, or of others, is denied as a whole.

    >>> negated("is greater than 5"), negated("has a value")
    ('is not greater than 5', 'does not have a value')
    >>> negated(predicate(Operator.LTE, "m").holds)
    'is neither the text "m" nor a text that sorts before it'
    """
    for op in (Operator.GTE, Operator.LTE):
        start, end = _OF_TEXTS[op].holds.split("{}")
        if words.startswith(start) and words.endswith(end):
            return f"is neither {words[3 : -len(end)]} nor a text that {end.removeprefix(' or ')}"
    verb, _, rest = words.partition(" ")
    return f"{_NEGATED[verb]} {rest}"


def _of_no_values(op: Operator) -> Predicate:
    """Returns the predicate of a comparison with an empty list (C5)."""
    if op is Operator.HAS_NONE:
        return Predicate("is a list", "must be a list")
    if OPERATORS[op].is_negation:
        return Predicate("is present", "must be present")
    return about(PREDICATES[op], "no values, which never holds")


def _template(op: Operator, is_text: bool) -> Predicate:
    return _OF_TEXTS.get(op, PREDICATES[op]) if is_text else PREDICATES[op]


def about(template: Predicate, constant: str) -> Predicate:
    """Returns a predicate with a constant in place of `{}`."""
    return Predicate(template.holds.replace("{}", constant), template.required.replace("{}", constant))
