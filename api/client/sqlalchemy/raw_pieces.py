"""Raw pieces of SQL in a clause: texts, literal columns, operators, fields, and names without quotes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.sql import elements, visitors
from sqlalchemy.sql.compiler import BIND_PARAMS, BIND_PARAMS_ESC
from sqlalchemy.sql.elements import CollationClause, Extract, GroupedElement, quoted_name
from sqlalchemy.sql.functions import Function, FunctionElement
from sqlalchemy.sql.operators import custom_op
from sqlalchemy.sql.selectable import AliasedReturnsRows

from ..queries.raw_sql import VALUE
from ..runtime.translate.sqlalchemy import Filter
from .guarded import Guarded
from .held import Held

_PLAIN_NAME: Final = re.compile(r"[\w$]*", re.ASCII)
_PLAIN_SCHEMA: Final = re.compile(r"[\w$.]*", re.ASCII)
_TEMPLATE: Final[Any] = getattr(elements, "TString", ())  # a text of SQLAlchemy 2.1 and Python 3.14


@dataclass(frozen=True)
class Piece:
    """A raw piece of SQL, with `VALUE` for each value. `shown` says where it is.

    `sql` is None if a construct of the application renders it.

    `enclosed` is true if brackets stand around it, and no condition of `permitted` is inside of them.
    """

    sql: str | None
    enclosed: bool
    shown: str = "the SQL text"


def pieces_in(clause: Any, enclosed: bool = False) -> Iterator[Piece]:
    """Yields the raw pieces in a clause, at any depth."""
    if isinstance(clause, sa.TextClause):
        marked = BIND_PARAMS.sub(VALUE, clause.text)
        yield Piece(BIND_PARAMS_ESC.sub(lambda found: found.group(1), marked), enclosed)
    elif isinstance(clause, _TEMPLATE):
        yield Piece("".join(getattr(one, "text", VALUE) for one in clause.parts), enclosed)
    elif isinstance(clause, sa.ColumnClause) and clause.is_literal:
        yield Piece(clause.name, enclosed)
    elif isinstance(clause, Extract):
        yield Piece(clause.field, True, "the field")
    elif isinstance(getattr(clause, "operator", None), custom_op):
        yield Piece(clause.operator.opstring, enclosed, "the operator")
    if isinstance(getattr(clause, "modifier", None), custom_op):
        yield Piece(clause.modifier.opstring, enclosed, "the operator")
    if isinstance(clause, sa.BindParameter):
        yield from _of_type(clause, enclosed)
    is_own = isinstance(clause, Filter | Guarded | Held)
    if getattr(type(clause), "_compiler_dispatcher", None) is not None and not is_own:
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
    """Yields the names that an application says not to quote, and that are more than a name, such as `a.b`."""
    names = [] if isinstance(clause, sa.BindParameter) else [getattr(clause, "name", None)]
    names += clause.packagenames if isinstance(clause, FunctionElement) else ()
    names += [clause.collation] if isinstance(clause, CollationClause) else ()
    known = [(one, _PLAIN_NAME) for one in names] + [(getattr(clause, "schema", None), _PLAIN_SCHEMA)]
    for name, plain in known:
        if isinstance(name, quoted_name) and name.quote is False and not plain.fullmatch(name):
            yield Piece(str(name), enclosed, "the name")
            yield Piece(None, enclosed, f"the name `{name}` without quotes")


def _of_type(value: Any, enclosed: bool) -> Iterator[Piece]:
    """Yields the pieces that the type of a value puts around it, or in place of it."""
    for type in (value.type, *value.type._variant_mapping.values()):
        if type._has_bind_expression:
            around = type.bind_expression(value)
            if around is not None and around is not value:
                yield from _beside(around, value, enclosed)
        if value.literal_execute and has_own_literals(type):
            yield Piece(None, enclosed, f"`{type!r}`, a type that writes its values")


def _beside(clause: Any, value: Any, enclosed: bool) -> Iterator[Piece]:
    """Yields the pieces around a value, in the expression that its type makes of it."""
    plain = sa.bindparam(None, None, sa.types.NULLTYPE)

    def without_type(one: Any, **_: Any) -> Any:
        return plain if isinstance(one, sa.BindParameter) and one.key == value.key else None

    replaced: Any = visitors.replacement_traverse(clause, {}, without_type)  # type: ignore[call-overload]  # it takes any clause
    yield from pieces_in(replaced, enclosed)


def has_own_literals(type: Any) -> bool:
    """Returns whether a type of the application writes its values into the SQL itself."""
    names = ("literal_processor", "process_literal_param")
    made = [one for name in names for one in made_by(type, name)]
    return any(not one.__module__.startswith("sqlalchemy.") for one in made)


def made_by(type: Any, name: str) -> list[Any]:
    """Returns the class that says how a type does something, if one does."""
    return [one for one in type.__class__.__mro__ if name in vars(one)][:1]


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
    if kind == "unary":
        return not (isinstance(clause.operator, custom_op) or isinstance(clause.modifier, custom_op))
    if kind == "function":
        return not any(getattr(name, "quote", None) is False for name in (clause.name, *clause.packagenames))
    if kind == "bound":
        return not (clause.type._has_bind_expression or clause.type._variant_mapping or clause.literal_execute)
    if kind == "named":
        return getattr(clause.name, "quote", None) is not False and not getattr(clause, "is_literal", False)
    return kind == "plain"


_KINDS: dict[type, str] = {}
_OF: Final[tuple[tuple[str, Any], ...]] = (
    ("named", (sa.ColumnClause, elements.Label)),
    ("operation", (sa.BinaryExpression, elements.ExpressionClauseList)),
    ("unary", (sa.UnaryExpression,)),
    ("function", (Function,)),
    ("bound", (sa.BindParameter,)),
    ("plain", (sa.Table, GroupedElement, elements.ClauseList, elements._label_reference)),
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
