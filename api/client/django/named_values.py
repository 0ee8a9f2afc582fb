"""The values that a queryset returns besides its rows' own: those of related rows, and of subqueries."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Subquery
from django.db.models.expressions import Col, RawSQL

from ..queries.questions import Question
from ..queries.refusal import QueryRefused
from .loads import names_of

AUTHORIZED = "writ_authorized"
"""The attribute of a query of Django, and of the subqueries made of it, that says that its rows are authorized."""


def check_values(query: Any, question: Question, more: Iterable[Any] = ()) -> None:
    """Raises QueryRefused if the query returns values of other rows of a declared type, or texts of SQL.

    `more` are expressions that it returns, too.
    """
    if query.extra_select:
        raise QueryRefused("the queryset returns texts, which may show values of any type", "write them as expressions")
    for expression in (*query.select, *query.annotation_select.values(), *more):
        for part in _parts(expression):
            if isinstance(part, RawSQL):
                raise QueryRefused("the queryset returns texts, which may show values of any type", "name columns")
            model = _other_model(part, query)
            if model is not None and question.declared(names_of(model)):
                remedy = "take them from a subquery that is authorized, or load the rows with `Prefetch`"
                raise QueryRefused(f"the queryset returns values of `{model.__name__}`", remedy)


def _parts(expression: Any) -> Iterator[Any]:
    """Yields an expression and all parts of it, but no part of a subquery in it."""
    yield expression
    if hasattr(expression, "get_source_expressions") and not isinstance(expression, Subquery):
        for part in expression.get_source_expressions():
            yield from _parts(part)


def _other_model(part: Any, query: Any) -> Any:
    """Returns the model of a column of a joined table, or of a subquery that is not authorized, or None."""
    if isinstance(part, Subquery):
        return None if getattr(part.query, AUTHORIZED, False) else part.query.model
    if not isinstance(part, Col) or part.alias == query.base_table:
        return None
    join = getattr(query.alias_map.get(part.alias), "join_field", None)
    is_own = issubclass(query.model, part.target.model) and getattr(join, "parent_link", False)
    return None if is_own else part.target.model
