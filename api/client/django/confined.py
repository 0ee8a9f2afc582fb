"""Raw pieces of SQL in separate brackets, in conditions and in the order, and refused elsewhere in a query."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from django.db.models import F
from django.db.models.expressions import Expression, OrderBy

from ..bundles.wording import quoted
from ..queries.raw_sql import REMEDY, fault_of
from ..queries.refusal import QueryRefused
from ..runtime.translate.django_types import vendor_of
from .raw_pieces import check_pieces, marked_values, raw_in

_COLUMN: Final = re.compile(r"[-+]?\w+(\.\w+)?")
_TABLE: Final = re.compile(r'(?:"[^"]+"|`[^`]+`|[\w$]+)(?:\.(?:"[^"]+"|`[^`]+`|[\w$]+))*')


class Confined(Expression):  # type: ignore[misc]  # Django has no types
    """An expression with raw pieces, in brackets that they do not leave."""

    def __init__(self, inner: Any):
        """`inner` is the expression."""
        super().__init__()
        self.inner = inner

    def get_source_expressions(self) -> list[Any]:
        """See Django."""
        return [self.inner]

    def set_source_expressions(self, exprs: list[Any]) -> None:
        """See Django."""
        (self.inner,) = exprs

    def get_group_by_cols(self) -> list[Any]:
        """See Django. What an aggregate groups by is confined, too."""
        if not self.contains_aggregate:
            return [self]
        return [Confined(one) for one in super().get_group_by_cols()]

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        """See Django. Raises QueryRefused for a raw piece that may reach out of its brackets."""
        return bracketed(compiler.compile(self.inner), [self.inner], compiler, connection)


def bracketed(compiled: Any, parts: Iterable[Any], compiler: Any, connection: Any) -> tuple[str, list[Any]]:
    """Returns the compiled SQL of parts in brackets. Raises QueryRefused if they may end before the brackets do."""
    sql, params = compiled
    pieces = [*raw_in(parts)]
    if not pieces:
        return f"({sql})", [*params]
    dialect = vendor_of(connection)
    check_pieces(pieces, compiler, dialect)
    # Django's own SQL has backslashes: escapes in MySQL, and in E'…' of PostgreSQL.
    fault = fault_of(marked_values(sql, dialect), dialect, "escape" if connection.vendor == "mysql" else "plain")
    if fault is not None:
        raise QueryRefused(f"the condition or order {quoted(sql)} {fault}", REMEDY)
    return f"({sql})", [*params]


def confined(one: Any, query: Any) -> Any:
    """Returns a part of the order of a query with its raw pieces in brackets."""
    if not is_loose(one, query):
        return one
    if isinstance(one, str):
        order = OrderBy(F(one.lstrip("-")), descending=one.startswith("-"))
    else:
        order = one.copy() if isinstance(one, OrderBy) else OrderBy(one)
    order.set_source_expressions([Confined(order.expression)])
    return order


def confine(query: Any) -> None:
    """Puts the raw pieces in the order of a query into brackets."""
    ordering = query.order_by
    if query.default_ordering and not ordering:
        ordering = query.get_meta().ordering or ()
    if any(is_loose(one, query) for one in ordering):
        query.order_by = tuple(confined(one, query) for one in ordering)


def is_loose(one: Any, query: Any) -> bool:
    """Returns whether a part of the order has a raw piece, or an alias with one, that `Confined` does not confine."""
    if isinstance(one, str):
        return _is_raw_alias(one.lstrip("-"), query)
    part = one.expression if isinstance(one, OrderBy) else one
    if isinstance(part, Confined) or not hasattr(part, "resolve_expression"):
        return False
    return any(True for _ in raw_in([one])) or any(_is_raw_alias(name, query) for name in _names_in(part))


def check_outside(query: Any) -> None:
    """Raises QueryRefused for a raw piece outside of the conditions of a query that no brackets confine."""
    check_returned_texts(query, query.annotation_select.values())
    if any(is_loose(one, query) for one in query.order_by):
        raise QueryRefused("the order is a text that Writ did not see", "write it with `order_by`")
    for one in query.extra_order_by:
        if not isinstance(one, str) or _COLUMN.fullmatch(one) is None:
            raise QueryRefused(f"the order {quoted(str(one))} is a text", "name columns, or write it with `order_by`")
    for one in query.extra_tables:
        if _TABLE.fullmatch(one) is None:
            raise QueryRefused(f"the table {quoted(one)} is no name", "name tables")
    for name, one in query._filtered_relations.items():
        if any(True for _ in raw_in(_leaves(one.condition))):
            raise QueryRefused(f"the relation `{name}` has a condition that is a text", "write the text in `filter`")


def check_returned_texts(query: Any, expressions: Iterable[Any]) -> None:
    """Raises QueryRefused if a query returns texts of SQL, or expressions that have one."""
    if query.extra_select:
        raise QueryRefused("the queryset returns texts, which may show values of any type", "write them as expressions")
    for piece in raw_in(expressions):
        shown = f"`{type(piece).__name__}`, which writes SQL itself" if not isinstance(piece, str) else "texts"
        raise QueryRefused(
            f"the queryset returns texts, which may show values of any type ({shown})",
            "name columns and functions of Django, and keep the text in `filter`",
        )


def _is_raw_alias(name: str, query: Any) -> bool:
    found = query.annotations.get(name)
    return found is not None and any(True for _ in raw_in([found]))


def _names_in(part: Any) -> Iterator[str]:
    """Yields the names of aliases and fields in an expression that is not resolved yet."""
    if isinstance(part, F):
        yield part.name
    elif hasattr(part, "get_source_expressions"):
        for one in part.get_source_expressions():
            yield from _names_in(one)


def _leaves(condition: Any) -> Iterable[Any]:
    for child in condition.children:
        found = child[1] if isinstance(child, tuple) else child
        if hasattr(found, "children"):
            yield from _leaves(found)
        elif hasattr(found, "resolve_expression"):
            yield found
