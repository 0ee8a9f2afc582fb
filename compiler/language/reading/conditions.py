"""Reads the conditions of policies: an attribute, an operator and a constant."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ....bundles.conditions.operators import Operator
from ....bundles.conditions.references import NOW
from ..grammar import OPERATOR_RULES
from ..placed import Members, Placed, Reader, array, object_of, said, values
from ..syntax_fault import SyntaxFault
from ..tokens import decoded
from ..words import written_key
from .bare_words import check_bare_words, check_passing
from .constants import bare_text
from .statement_clauses import StatementClause, member

WITHOUT_BRACKETS = "list"
"""The type of a list of constants that is said without brackets."""


class _Condition(NamedTuple):
    section: str
    value: Placed


def when(children: list[Any]) -> StatementClause:
    """Reads `when resource.status is "draft" and context.mfa is true`."""
    keyword, conditions = children[0], values(children)
    sections: dict[str, list[Placed]] = {}
    for section, value in conditions:
        sections.setdefault(section, []).append(value)
    members: Members = {section: (keyword, array(values)) for section, values in sections.items()}
    return StatementClause(keyword, conditions[-1].value.end, members)


def comparison(children: list[Placed]) -> _Condition:
    """Reads an attribute that is compared with one constant."""
    attribute, operator, constant = children
    return _condition(attribute, operator, constant)


def membership(children: list[Any]) -> _Condition:
    """Reads an attribute that is searched in a list, whose brackets may be left out."""
    attribute, operator, found = children
    if len(found) == 1 and isinstance(found[0].value, list):
        return _condition(attribute, operator, found[0])
    without_brackets = array(found)
    without_brackets.type = WITHOUT_BRACKETS
    return _condition(attribute, operator, without_brackets)


def presence(children: list[Placed]) -> _Condition:
    """Reads `resource.owner is present`: a `nin` with an empty array, which holds whenever the attribute is present."""
    attribute, operator = children
    return _compared(attribute, operator, "value", array([], operator.start, operator.end))


def referring(children: list[Placed]) -> _Condition:
    """Reads an attribute that is compared with another value of the request."""
    attribute, operator, other = children
    section, key = _attribute(other)
    return _compared(attribute, operator, "value_of", said(f"{section}.{key}", other))


def against_now(children: list[Placed]) -> _Condition:
    """Reads an attribute that is compared with the instant of the request."""
    attribute, operator, now = children
    return _compared(attribute, operator, "value_of", said(NOW, now))


def passed(children: list[Placed]) -> _Condition:
    """Reads `resource.embargo_until has passed`: at that very instant, it has."""
    attribute, first, last = children
    return _compared(attribute, Placed(Operator.LTE.value, first.start, last.end), "value_of", said(NOW, last))


def to_come(children: list[Placed]) -> _Condition:
    """Reads `resource.embargo_until is still to come`."""
    attribute, first, *_, last = children
    return _compared(attribute, Placed(Operator.GT.value, first.start, last.end), "value_of", said(NOW, last))


def is_still(children: list[Placed]) -> _Condition:
    """Reads `resource.mode is still`: elsewhere, `still` is a text without quotes."""
    attribute, first, still = children
    return comparison([attribute, Placed(Operator.EQ.value, first.start, first.end), bare_text([still])])


def operator(name: str) -> Callable[[list[Placed]], Placed]:
    """Returns the reader of an operator, which may have several words."""

    def read(children: list[Placed]) -> Placed:
        return Placed(name, children[0].start, children[-1].end)

    return read


def _condition(attribute: Placed, operator: Placed, constant: Placed) -> _Condition:
    check_bare_words(operator, constant, _attribute(attribute)[1])
    check_passing(operator, constant, attribute.text)
    return _compared(attribute, operator, "value", constant)


def _compared(attribute: Placed, operator: Placed, name: str, value: Placed) -> _Condition:
    section, key = _attribute(attribute)
    members = {"key": member(said(key, attribute)), "op": member(operator), name: member(value)}
    return _Condition(f"{section}_attrs", object_of(members, attribute.start, value.end))


def _attribute(token: Placed) -> tuple[str, str]:
    """Returns the section and the key of an attribute, and makes its text canonical. Raises SyntaxFault."""
    section, _, rest = token.value.partition(".")
    key = decoded(rest, token.start + len(section) + 1) if rest[0] in "\"'" else rest
    if not key:
        raise SyntaxFault("an attribute has a name", token.start, token.end)
    token.text = f"{section}.{written_key(key)}"
    return section, key


READERS: Mapping[str, Reader] = {
    "when": when,
    "comparison": comparison,
    "membership": membership,
    "presence": presence,
    "referring": referring,
    "against_now": against_now,
    "passed": passed,
    "to_come": to_come,
    "is_still": is_still,
    "constants": values,
    "operator_present": operator(Operator.NIN.value),
    **{rule: operator(op.value) for op, rule in OPERATOR_RULES.items()},
}
"""The readers of conditions, by the name of the grammar's rule."""
