"""Reads the conditions of policies: an attribute, an operator and a constant."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..grammar import OPERATOR_RULES
from ..placed import Members, Placed, Reader, array, object_of, said, values
from ..syntax_fault import SyntaxFault
from ..tokens import decoded
from ..words import written_key
from .bare_words import check_bare_words
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


def operator(name: str) -> Callable[[list[Placed]], Placed]:
    """Returns the reader of an operator, which may have several words."""

    def read(children: list[Placed]) -> Placed:
        return Placed(name, children[0].start, children[-1].end)

    return read


def _condition(attribute: Placed, operator: Placed, constant: Placed) -> _Condition:
    section, _, rest = attribute.value.partition(".")
    key = decoded(rest, attribute.start + len(section) + 1) if rest[0] in "\"'" else rest
    if not key:
        raise SyntaxFault("an attribute has a name", attribute.start, attribute.end)
    check_bare_words(constant, key)
    attribute.text = f"{section}.{written_key(key)}"
    members = {"key": member(said(key, attribute)), "op": member(operator), "value": member(constant)}
    return _Condition(f"{section}_attrs", object_of(members, attribute.start, constant.end))


READERS: Mapping[str, Reader] = {
    "when": when,
    "comparison": comparison,
    "membership": membership,
    "constants": values,
    **{rule: operator(op.value) for op, rule in OPERATOR_RULES.items()},
}
"""The readers of conditions, by the name of the grammar's rule."""
