"""The values that a queryset returns besides its rows' own: those of related rows, and of subqueries."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Subquery
from django.db.models.expressions import Col
from django.db.models.sql import Query

from ..queries.questions import Question
from ..queries.refusal import QueryRefused
from .authorized_where import is_authorized
from .confined import check_returned_texts
from .loads import names_of


def check_values(query: Any, question: Question, more: Iterable[Any] = ()) -> None:
    """Raises QueryRefused if the query returns values of other rows of a declared type, or texts of SQL.

    `more` are expressions that it returns, too.
    """
    returned = (*query.select, *query.annotation_select.values(), *more)
    check_returned_texts(query, returned)
    for expression in returned:
        for part in _parts(expression):
            model = _other_model(part, query)
            if model is not None and question.declared(names_of(model)):
                remedy = "take them from a subquery that is authorized, or load the rows with `Prefetch`"
                raise QueryRefused(f"the queryset returns values of `{model.__name__}`", remedy)


def _parts(expression: Any) -> Iterator[Any]:
    """Yields an expression and all parts of it, but no part of a subquery in it."""
    yield expression
    if hasattr(expression, "get_source_expressions") and not isinstance(expression, Subquery | Query):
        for part in expression.get_source_expressions():
            if part is not None:
                yield from _parts(part)


def _other_model(part: Any, query: Any) -> Any:
    """Returns the model of a column of a joined table, or of a subquery that is not authorized, or None."""
    if isinstance(part, Subquery | Query):
        inner = part.query if isinstance(part, Subquery) else part
        return None if is_authorized(inner) else inner.model
    if not isinstance(part, Col) or part.alias == query.base_table:
        return None
    join = getattr(query.alias_map.get(part.alias), "join_field", None)
    is_own = issubclass(query.model, part.target.model) and getattr(join, "parent_link", False)
    return None if is_own else part.target.model
