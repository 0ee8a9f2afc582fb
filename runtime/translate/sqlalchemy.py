"""A filter as a SQLAlchemy expression, rendered as the SQL of one dialect with the caller's columns in it."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import operators
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import Grouping
from sqlalchemy.sql.functions import FunctionElement

from .errors import Untranslatable
from .read_tree import TreeLimits
from .sql import condition
from .sql.fragments import Column, Fragment, Parameter, ValueType
from .sqlalchemy_types import field_of_column

_TYPES: dict[ValueType, Any] = {
    "text": sa.String(),
    "integer": sa.BigInteger(),
    "real": sa.Double(),
    "decimal": sa.Numeric(),
    "boolean": sa.Boolean(),
    "instant": sa.DateTime(timezone=True),
    "texts": ARRAY(sa.String()),
}


def expression(
    tree: Any, fields: dict[str, Any], dialect: str, limits: TreeLimits | None = None
) -> sa.ColumnElement[bool]:
    """Returns the filter as an expression for `where`, `filter` and the like, never NULL.

    `dialect` is SQLAlchemy's name of it: postgresql, mysql or sqlite; the expression compiles for no other. A field
    may be a bare column where its type says enough: strings, integers, doubles, decimals with a precision, booleans,
    UUIDs, dates, instants with a time zone in PostgreSQL, enumerations of strings. Raises BadFilter and Untranslatable.

    >>> documents = sa.table("documents", sa.column("status", sa.String()))
    >>> tree = {"type": "field", "field": "status", "operator": "ne", "value": "draft"}
    >>> str(expression(tree, {"status": documents.c.status}, dialect="sqlite"))
    "(typeof(documents.status) = 'text' AND documents.status COLLATE BINARY <> ?)"
    """
    if dialect not in _FILTERS:
        reason, remedy = "SQLAlchemy has no such dialect", f"the dialects are {', '.join(_FILTERS)}"
        raise Untranslatable("$", dialect, reason, remedy)
    found = {key: field_of_column(key, named, dialect) for key, named in fields.items()}
    fragments = condition(tree, found, dialect, limits)
    made: sa.ColumnElement[bool] = _FILTERS[dialect](*map(_clause, fragments))
    return made


def _clause(fragment: Fragment) -> sa.ColumnElement[Any]:
    match fragment:
        case Column(named):
            column: sa.ColumnElement[Any] = named
            plain = isinstance(column, sa.ColumnClause) and not column.is_literal
            return column if plain else Grouping(column)
        case Parameter(value, "instant" as type):
            return sa.bindparam(None, datetime.fromisoformat(value), _TYPES[type], unique=True)
        case Parameter(value, type):
            return sa.bindparam(None, value, _TYPES[type], unique=True)
        case _:
            return sa.literal_column(fragment)


def _filter_of(dialect: str) -> type[FunctionElement[Any]]:
    """Returns an element of clauses in a row, for one dialect. It is a function, so SQLAlchemy may cache it."""
    members = {"type": sa.Boolean(), "inherit_cache": True, "stringify_dialect": dialect, "self_group": _grouped}
    made = type(f"Filter_{dialect}", (FunctionElement,), members)
    compiles(made, dialect)(_rendered)
    return made


def _grouped(element: FunctionElement[Any], against: Any = None) -> sa.ColumnElement[Any]:
    """Returns the filter as a condition among others.

    For a database without booleans, SQLAlchemy would write `(…) = 1`, and no index would serve it.
    """
    return element if against in (operators.and_, operators.or_, operators._asbool) else Grouping(element)


def _rendered(element: FunctionElement[Any], compiler: SQLCompiler, **options: Any) -> str:
    return "".join(compiler.process(clause, **options) for clause in element.clauses)


_FILTERS = {dialect: _filter_of(dialect) for dialect in ("postgresql", "mysql", "sqlite")}
