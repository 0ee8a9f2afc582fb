"""A filter as a SQLAlchemy expression, rendered as the SQL of one dialect with the caller's columns in it."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from .errors import Untranslatable
from .fields import Attributes, Boolean, Decimal, Field, Integer, Json, Real, Text
from .read_tree import TreeLimits
from .sql import DIALECTS, condition
from .sql.fragments import Column, Fragment, Parameter, ValueType

_TYPES: dict[ValueType, Any] = {
    "text": sa.String(),
    "integer": sa.BigInteger(),
    "real": sa.Double(),
    "decimal": sa.Numeric(),
    "boolean": sa.Boolean(),
    "texts": ARRAY(sa.String()),
}


def expression(
    tree: Any, fields: dict[str, Any], dialect: str, limits: TreeLimits | None = None
) -> sa.ColumnElement[bool]:
    """Returns the filter as an expression for `where`, `filter` and the like, never NULL.

    `dialect` is SQLAlchemy's name of it: postgresql, mysql or sqlite; the expression compiles for no other. A field
    may be a bare column where its type says enough: strings, integers, doubles, decimals with a precision, booleans.
    Raises BadFilter and Untranslatable.

    >>> documents = sa.table("documents", sa.column("status", sa.String()))
    >>> tree = {"type": "field", "field": "status", "operator": "ne", "value": "draft"}
    >>> str(expression(tree, {"status": documents.c.status}, dialect="sqlite"))
    "(typeof(documents.status) = 'text' AND documents.status COLLATE BINARY <> ?)"
    """
    found = {key: _field(key, named, dialect) for key, named in fields.items()}
    fragments = condition(tree, found, dialect, limits)
    made: sa.ColumnElement[bool] = _FILTERS[dialect](*map(_clause, fragments))
    return made


def _clause(fragment: Fragment) -> sa.ColumnElement[Any]:
    match fragment:
        case Column(named):
            column: sa.ColumnElement[Any] = named
            return column
        case Parameter(value, type):
            return sa.bindparam(None, value, _TYPES[type], unique=True)
        case _:
            return sa.literal_column(fragment)


def _field(key: str, named: Any, dialect: str) -> Field:
    """Returns the field of a column, by the type that SQLAlchemy knows."""
    if isinstance(named, Json | Attributes):
        if dialect == "postgresql" and not isinstance(named.column.type, JSONB | sa.types.NullType):
            raise _refused(key, dialect, "a json column has no equality of values", "cast the column to JSONB")
        return named
    if isinstance(named, Field):
        return named
    match named.type:
        case sa.Enum() | sa.CHAR():
            raise _refused(key, dialect, f"{named.type!r} is padded or an enumeration", "cast the column to Text")
        case sa.String():
            return Text(named)
        case sa.Boolean():
            return Boolean(named)
        case sa.Integer():
            return Integer(named)
        case sa.REAL():
            pass
        case sa.Double():
            return Real(named)
        case sa.Float(precision=precision) if dialect != "mysql" and (precision is None or precision > 24):
            return Real(named)
        case sa.Numeric(precision=int(precision)) if not isinstance(named.type, sa.Float):
            return Decimal(named, precision)
    reason = f"{named.type!r} does not say what JSON value it holds"
    raise _refused(key, dialect, reason, "map it to Text, Real, Json, Attributes, …")


def _refused(key: str, dialect: str, reason: str, remedy: str) -> Untranslatable:
    return Untranslatable(f"the field `{key}`", dialect, reason, remedy)


def _filter_of(dialect: str) -> type[FunctionElement[Any]]:
    """Returns an element of clauses in a row, for one dialect. It is a function, so SQLAlchemy may cache it."""
    made = type(
        f"Filter_{dialect}",
        (FunctionElement,),
        {"type": sa.Boolean(), "inherit_cache": True, "stringify_dialect": dialect},
    )
    compiles(made, dialect)(_rendered)
    return made


def _rendered(element: FunctionElement[Any], compiler: SQLCompiler, **options: Any) -> str:
    return "".join(compiler.process(clause, **options) for clause in element.clauses)


_FILTERS = {dialect: _filter_of(dialect) for dialect in DIALECTS}
