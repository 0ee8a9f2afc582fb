"""Raw pieces of SQL in a clause: texts, literal columns, operators, fields, and names without quotes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.sql import elements
from sqlalchemy.sql.compiler import BIND_PARAMS_ESC
from sqlalchemy.sql.elements import CollationClause, Extract, GroupedElement, quoted_name
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.operators import custom_op
from sqlalchemy.sql.selectable import AliasedReturnsRows

from ..runtime.translate.sqlalchemy import Filter
from .guarded import Guarded

_PLAIN_NAME: Final = re.compile(r"[\w$ .-]*", re.ASCII)
_TEMPLATE: Final[Any] = getattr(elements, "TString", ())  # a text of SQLAlchemy 2.1 and Python 3.14


@dataclass(frozen=True)
class Piece:
    """A raw piece of SQL. `sql` is None if a construct of the application renders it. `shown` says where it is.

    `enclosed` is true if brackets stand around it, and no condition of `permitted` is inside of them.
    """

    sql: str | None
    enclosed: bool
    shown: str = "the SQL text"


def pieces_in(clause: Any, enclosed: bool = False) -> Iterator[Piece]:
    """Yields the raw pieces in a clause, at any depth."""
    if isinstance(clause, sa.TextClause):
        yield Piece(BIND_PARAMS_ESC.sub(lambda found: found.group(1), clause.text), enclosed)
    elif isinstance(clause, _TEMPLATE):
        yield Piece("".join(getattr(one, "text", "x") for one in clause.parts), enclosed)
    elif isinstance(clause, sa.ColumnClause) and clause.is_literal:
        yield Piece(clause.name, enclosed)
    elif isinstance(clause, Extract):
        yield Piece(clause.field, True, "the field")
    elif isinstance(getattr(clause, "operator", None), custom_op):
        yield Piece(clause.operator.opstring, enclosed, "the operator")
    if isinstance(getattr(clause, "modifier", None), custom_op):
        yield Piece(clause.modifier.opstring, enclosed, "the operator")
    if getattr(type(clause), "_compiler_dispatcher", None) is not None and not isinstance(clause, Filter | Guarded):
        yield Piece(None, enclosed, f"`{type(clause).__name__}`")
    yield from _names_of(clause, enclosed)
    yield from _inside(clause, enclosed)


def _inside(clause: Any, enclosed: bool) -> Iterator[Piece]:
    if isinstance(clause, sa.Table):
        return
    if isinstance(clause, Guarded) and not holds_permitted(clause):
        return  # it is checked when it is rendered
    if isinstance(clause, sa.SelectBase | AliasedReturnsRows | FunctionElement | sa.Cast | Filter):
        enclosed = True
    elif isinstance(clause, GroupedElement):
        enclosed = enclosed or not holds_permitted(clause)
    for added in additions(clause, None):
        yield Piece(added, enclosed, "the hint")
    for child in clause.get_children():
        yield from pieces_in(child, enclosed)


def _names_of(clause: Any, enclosed: bool) -> Iterator[Piece]:
    """Yields the names that an application says not to quote, and that need quotes."""
    names = (
        [getattr(clause, one, None) for one in ("name", "schema")] if not isinstance(clause, sa.BindParameter) else []
    )
    names += clause.packagenames if isinstance(clause, FunctionElement) else ()
    names += [clause.collation] if isinstance(clause, CollationClause) else ()
    for name in names:
        if isinstance(name, quoted_name) and name.quote is False and not _PLAIN_NAME.fullmatch(name):
            yield Piece(str(name), enclosed, "the name")


def is_plain_clause(clause: Any) -> bool:
    """Returns whether a clause is no raw piece and holds none but in its children.

    PERF: `authorized` looks at each clause of each statement, and most are columns, values and comparisons.
    """
    made = type(clause)
    kind = _KINDS.get(made)
    if kind is None:
        custom = getattr(made, "_compiler_dispatcher", None) is not None
        kind = _KINDS[made] = "other" if custom else next((kind for kind, of in _OF if issubclass(made, of)), "other")
    if kind == "operation":
        return not isinstance(clause.operator, custom_op)
    if kind == "named":
        return getattr(clause.name, "quote", None) is not False and not getattr(clause, "is_literal", False)
    return kind == "plain"


_KINDS: dict[type, str] = {}
_OF: Final[tuple[tuple[str, Any], ...]] = (
    ("named", (sa.ColumnClause, elements.Label)),
    ("operation", (sa.BinaryExpression, elements.ExpressionClauseList)),
    ("plain", (sa.BindParameter, sa.Table, GroupedElement, elements.ClauseList, elements._label_reference)),
)


def holds_permitted(clause: Any) -> bool:
    """Returns whether a condition of `permitted` is in a clause, but not in a select inside it."""
    if getattr(clause, "is_permitted", False):
        return True
    if isinstance(clause, sa.SelectBase | sa.Table):
        return False
    return any(holds_permitted(one) for one in clause.get_children())


def additions(statement: Any, dialect: str | None) -> Iterator[str]:
    """Yields the prefixes, suffixes and hints of a statement that a database gets."""
    spoken = ("*", None, dialect)
    for name in ("_prefixes", "_suffixes"):
        for clause, of in getattr(statement, name, ()):
            if of in spoken or dialect is None:
                yield getattr(clause, "text", str(clause))
    for of, text in getattr(statement, "_statement_hints", ()):
        if of in spoken or dialect is None:
            yield text
    for (_, of), text in (getattr(statement, "_hints", None) or {}).items():
        if of in spoken or dialect is None:
            yield text
