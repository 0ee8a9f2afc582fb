"""The values that a queryset returns besides its rows' own: those of related rows, and of subqueries."""

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Subquery
from django.db.models.expressions import Col
from django.db.models.sql import Query

from ..queries.questions import Question
from ..queries.refusal import QueryRefused
from .authorized_where import is_authorized
from .confined import check_returned_texts
from .model_names import all_names_of, is_parent_link, models_of
from .raw_pieces import below


def check_values(query: Any, question: Question, more: Iterable[Any] = (), around: tuple[Any, ...] = ()) -> None:
    """Raises QueryRefused if the query returns values of other rows of a declared type, or texts of SQL.

    `more` are expressions that it returns, too. `around` are the queries around it, the nearest first.
    """
    for one in _operands(query):
        check_values(one, question, more, around)
    returned = (*query.select, *query.annotation_select.values(), *more)
    check_returned_texts(query, returned)
    queries = (query, *around)
    for part in _parts(returned):
        if isinstance(part, Subquery | Query):
            _check_inner(part, question, queries)
        elif isinstance(part, Col) and question.declared(_names_of_column(part, queries)):
            _refuse(part.target.model.__name__)


def _check_inner(part: Any, question: Question, around: tuple[Any, ...]) -> None:
    """Raises QueryRefused if a subquery has values of rows of a declared type that it does not authorize."""
    query = part.query if isinstance(part, Subquery) else part
    for one in query.combined_queries:
        _check_inner(one, question, around)
    check_values(query, question, around=around)
    if not is_authorized(query):
        _check_undeclared(query.chain(), question, around)


def _check_undeclared(query: Any, question: Question, around: tuple[Any, ...]) -> None:
    """Raises QueryRefused if a query reads rows of a declared type: its conditions and order decide its value, too."""
    parts = (query.where, *query.annotations.values(), *_order(query))
    tables = {query.model._meta.db_table}
    tables.update(join.table_name for alias, join in query.alias_map.items() if query.alias_refcount.get(alias))
    for model in (query.model, *(one for table in tables for one in models_of(table))):
        if question.declared(tuple(all_names_of(model))):
            _refuse(model.__name__)
    if query.extra_tables or query._filtered_relations:
        reason = "a subquery that is not authorized has tables or conditions beside its own"
        raise QueryRefused(reason, "write them in `filter`")
    for part in _parts(parts):
        if isinstance(part, Subquery | Query):
            _check_inner(part, question, (query, *around))


def _operands(query: Any) -> Iterator[Any]:
    """Yields the queries of a union, each with the columns that the union takes from it."""
    for one in query.combined_queries:
        if query.values_select and not one.values_select:
            one = one.clone()
            one.set_values((*query.extra_select, *query.values_select, *query.annotation_select))
        yield one


def _order(query: Any) -> Iterator[Any]:
    """Yields what orders a query, and joins the tables for it as Django's compiler does."""
    for one, _ in query.get_compiler(DEFAULT_DB_ALIAS)._order_by_pairs():
        yield one.resolve_expression(query, allow_joins=True, reuse=None)


def _parts(expressions: Iterable[Any]) -> Iterator[Any]:
    """Yields expressions and all parts of them, but no part of a subquery in them."""
    for one in expressions:
        yield one
        if not isinstance(one, Subquery | Query):
            yield from _parts(below(one))


def _names_of_column(column: Any, queries: tuple[Any, ...]) -> tuple[str, ...]:
    """Returns the names by which the rows of a column may be declared, or none if it is of the query's own rows."""
    query = next((one for one in queries if column.alias in one.alias_map), None)
    if query is None or not _is_of_row(column.alias, query):
        return tuple(all_names_of(column.target.model))
    own = all_names_of(query.model)
    return () if column.alias == query.base_table else tuple(all_names_of(column.target.model) - own)


def _is_of_row(alias: str | None, query: Any) -> bool:
    """Returns whether the joins to a table lead only from a row to the same row of its parents and children."""
    while alias != query.base_table:
        join = query.alias_map.get(alias)
        if not is_parent_link(getattr(join, "join_field", None)):
            return False
        alias = join.parent_alias
    return True


def _refuse(name: str) -> NoReturn:
    remedy = "take them from a subquery that is authorized, or load the rows with `Prefetch`"
    raise QueryRefused(f"the queryset returns values of `{name}`", remedy)
