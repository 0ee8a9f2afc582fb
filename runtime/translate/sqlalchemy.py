"""A filter as a SQLAlchemy expression, rendered as the SQL of one dialect with the caller's columns in it."""

import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import operators
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import Grouping
from sqlalchemy.sql.visitors import InternalTraversal

from .errors import Untranslatable
from .fields import SPOKEN, Direct
from .read_tree import TreeLimits
from .sql import condition
from .sql.fragments import Column, Fragment, Given, Parameter, ValueType
from .sqlalchemy_types import field_of_column

VALUE = f"writ_{secrets.token_hex(8)}"
"""The name of the values of a filter. The parameters of an execution set each value whose name they know."""

DIALECTS = ("postgresql", "mysql", "mariadb", "sqlite")
Shape: TypeAlias = tuple[str | int, ...]
"""The SQL of a dialect: texts, and the numbers of the parts between them."""

_TYPES: dict[ValueType, Any] = {
    "text": sa.String(),
    "integer": sa.BigInteger(),
    "real": sa.Double(),
    "decimal": sa.Numeric(),
    "boolean": sa.Boolean(),
    "instant": sa.DateTime(timezone=True),
    "texts": ARRAY(sa.String()),
    "integers": ARRAY(sa.BigInteger()),
    "reals": ARRAY(sa.Double()),
    "booleans": ARRAY(sa.Boolean()),
}


def expression(
    tree: Any,
    fields: dict[str, Any],
    dialect: str,
    limits: TreeLimits | None = None,
    *,
    direct: Direct | None = None,
) -> "Filter":
    """Returns the filter as an expression for `where`, `filter` and the like, never NULL.

    `dialect` is SQLAlchemy's name of it: postgresql, mysql, mariadb or sqlite; the expression compiles for no other. A
    field may be a bare column where its type says enough: strings, integers, doubles, decimals with a precision,
    booleans, UUIDs, dates, instants with a time zone in PostgreSQL, enumerations of strings, arrays of
    strings, integers, doubles or booleans. `direct` returns the expression for
    a node of direct grants, such as `exists()` of a select (F8). Raises BadFilter and Untranslatable.

    >>> documents = sa.table("documents", sa.column("status", sa.String()))
    >>> tree = {"type": "field", "field": "status", "operator": "ne", "value": "draft"}
    >>> str(expression(tree, {"status": documents.c.status}, dialect="sqlite"))
    "(typeof(documents.status) = 'text' AND (documents.status || '') <> ?)"
    """
    if dialect not in DIALECTS:
        reason, remedy = "SQLAlchemy has no such dialect", f"the dialects are {', '.join(DIALECTS)}"
        raise Untranslatable("$", dialect, reason, remedy)
    found = {key: field_of_column(key, named, dialect) for key, named in fields.items()}
    shape, parts = _shaped(condition(tree, found, SPOKEN.get(dialect, dialect), limits, direct))
    return Filter(((dialect, shape),), parts)


class Filter(sa.ColumnElement[bool]):
    """A filter in the SQL of some dialects, made of texts and of parts: columns, values and conditions.

    PERF: SQLAlchemy visits each part for its caches, and texts take no time.
    """

    __visit_name__ = "writ_filter"
    _traverse_internals = [  # noqa: RUF012  # SQLAlchemy declares it so
        ("shapes", InternalTraversal.dp_plain_obj),
        ("parts", InternalTraversal.dp_clauseelement_tuple),
    ]
    type = sa.Boolean()

    def __init__(self, shapes: Iterable[tuple[str, Shape]], parts: Sequence[sa.ColumnElement[Any]]):
        """`shapes` are the dialects, each with its SQL."""
        self.shapes, self.parts = tuple(shapes), tuple(parts)
        self.stringify_dialect = self.shapes[0][0]

    @property
    def _from_objects(self) -> list[Any]:
        return [*chain.from_iterable(part._from_objects for part in self.parts)]

    def self_group(self, against: Any = None) -> Any:
        """Returns the filter as a condition among others.

        For a database without booleans, SQLAlchemy would write `(…) = 1`, and no index would serve it.
        """
        return self if against in (operators.and_, operators.or_, operators._asbool) else Grouping(self)

    def check_place(self, compiler: SQLCompiler) -> None:
        """Raises an error if the filter may not stand in the statement that is compiled. It may stand anywhere."""

    def shape_for(self, dialect: str) -> Shape:
        """Returns the SQL of a dialect. `default`, by which statements are printed, is the first.

        Raises CompileError if there is none.
        """
        for name, shape in self.shapes:
            if dialect in (name, "default"):
                return shape
        raise sa.exc.CompileError(f"the filter was made for {self.stringify_dialect}, not for {dialect}")


@compiles(Filter)
def _rendered(element: Filter, compiler: SQLCompiler, **options: Any) -> str:
    element.check_place(compiler)
    shape = element.shape_for(compiler.dialect.name)
    texts = (
        compiler.process(sa.literal_column(one) if isinstance(one, str) else element.parts[one], **options)
        for one in shape
    )
    return "".join(texts)


def _shaped(fragments: Sequence[Fragment]) -> tuple[Shape, list[Any]]:
    """Returns the SQL of fragments and its parts. A column or a value that stands there several times is one part."""
    parts: list[Any] = []
    places: dict[int, int] = {}
    shape: list[str | int] = []
    for fragment in fragments:
        if isinstance(fragment, str):
            shape.append(fragment)
            continue
        same = id(fragment.named if isinstance(fragment, Column) else fragment)
        if same not in places:
            places[same] = len(parts)
            parts.append(_part(fragment))
        shape.append(places[same])
    return tuple(shape), parts


def _part(fragment: Column | Parameter | Given) -> sa.ColumnElement[Any]:
    match fragment:
        case Column(named):
            column: sa.ColumnElement[Any] = named
            plain = isinstance(column, sa.ColumnClause) and not column.is_literal
            return column if plain else Grouping(column)
        case Given(given):
            return Grouping(given)
        case Parameter(value, "instant" as type):
            return sa.bindparam(VALUE, datetime.fromisoformat(value), _TYPES[type], unique=True)
        case Parameter(value, type):
            return sa.bindparam(VALUE, value, _TYPES[type], unique=True)
