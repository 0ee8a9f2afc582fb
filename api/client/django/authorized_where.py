"""The WHERE of an authorized query: the application's conditions in one pair of brackets, before Writ's condition."""

from functools import cache
from typing import Any, NoReturn

from django.db.models import Q
from django.db.models.sql import Query
from django.db.models.sql.where import AND, WhereNode

from ..queries.refusal import QueryRefused
from .confined import bracketed, check_outside


class WritCondition(WhereNode):  # type: ignore[misc]  # Django has no types
    """Writ's condition. It stays one node when Django adds others beside it."""


class AuthorizedWhere(WhereNode):  # type: ignore[misc]  # Django has no types
    """The conditions of an authorized query, wherever Django compiles them: to select, count, update or delete.

    A raw piece such as `a OR b` binds weaker than AND. So the conditions that the application had before, and those
    that it adds later, stand together in brackets. Between them, they mean what they mean without Writ.
    """

    confines = True
    """See `raw_in`."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        """See Django. Raises QueryRefused for a raw piece that may reach out of its brackets."""
        check_outside(compiler.query)
        if self.connector != AND or self.negated:
            return self._whole(compiler, connection)  # an OR of authorized queries: each of them has its own brackets
        own = [one for one in self.children if not isinstance(one, WritCondition | AuthorizedWhere)]
        if not own:
            return self._whole(compiler, connection)
        confined = _Bracketed([WhereNode(own)])
        ours = (one for one in self.children if isinstance(one, WritCondition | AuthorizedWhere))
        return self._whole(compiler, connection, [confined, *ours])

    def _whole(self, compiler: Any, connection: Any, children: Any = None) -> tuple[str, list[Any]]:
        node = WhereNode(self.children if children is None else children, self.connector, self.negated)
        sql, params = node.as_sql(compiler, connection)
        return f"({sql})", params


class _Bracketed(WhereNode):  # type: ignore[misc]  # Django has no types
    """The conditions of the application, in brackets that no raw piece leaves."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        return bracketed(super().as_sql(compiler, connection), self.children, compiler, connection)


class AuthorizedQuery(Query):  # type: ignore[misc]  # Django has no types
    """A query that no other one takes in as a part, if nothing authorizes the other one.

    A queryset of another class knows nothing of Writ, and its operators come before ours. Django calls these methods
    on the query at its right.
    """

    joined = False
    """A mark of the parts of a union that `TogetherQuerySet` made."""

    def bump_prefix(self, other_query: Any, exclude: Any = None) -> None:
        """See Django. `exclude` is given by an operator alone. Raises QueryRefused at the right of any other query."""
        if exclude is not None and not is_authorized(other_query):
            _refuse_right("an operator")
        super().bump_prefix(other_query, exclude)

    def get_compiler(self, using: Any = None, connection: Any = None, elide_empty: bool = True) -> Any:
        """See Django. A union gives all of it. Raises QueryRefused in a union that `TogetherQuerySet` did not make."""
        if using is not None and connection is not None and not (self.joined or self.subquery):
            _refuse_right("a union")
        return super().get_compiler(using, connection, elide_empty)


def joined(query: Any) -> Any:
    """Returns a query as a part of a union that was checked."""
    query = query.clone()
    query.joined = True
    return query


def _refuse_right(name: str) -> NoReturn:
    reason = f"{name} of a queryset that knows nothing of Writ takes in an authorized one"
    raise QueryRefused(reason, "write the authorized one first, and make both with `AuthorizedQuerySet`")


@cache
def _authorized(kind: Any) -> Any:
    """Returns the class of an authorized query for a class of queries."""
    if issubclass(kind, AuthorizedQuery):
        return kind
    return AuthorizedQuery if kind is Query else type(kind.__name__, (AuthorizedQuery, kind), {})


def authorize(query: Any, condition: Q) -> None:
    """Adds Writ's condition to a query."""
    kind: Any = type(query)
    query.__class__ = _authorized(kind)
    own, query.where = query.where, WhereNode()
    query.add_q(condition)
    kept = own.children if own.connector == AND and not own.negated else [own]
    query.where = AuthorizedWhere([*kept, WritCondition([query.where])])


def is_authorized(query: Any) -> bool:
    """Returns whether each row of a query is authorized. The result of a union is, if each query of it is.

    A queryset without rows, as `none()` makes it, counts as authorized.
    """
    if query.combinator:
        return all(map(is_authorized, query.combined_queries))
    return isinstance(query.where, AuthorizedWhere) or (query.where.connector == AND and query.is_empty())
