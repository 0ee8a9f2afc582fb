"""The condition as a clause of SQLAlchemy, which has the SQL of several databases."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import visitors
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import Grouping, _anonymous_label
from sqlalchemy.sql.lambdas import LambdaElement
from sqlalchemy.sql.operators import and_
from sqlalchemy.sql.visitors import InternalTraversal

from ..bundles.errors import Error
from ..queries.refusal import QueryRefused
from ..runtime.translate import Untranslatable
from ..runtime.translate.sqlalchemy import DIALECTS, VALUE, Filter, Shape
from .entities import LAMBDA
from .guarded import Guarded
from .raw_checks import check_names, check_statement


class Permitted(Filter):
    """The condition for several databases. The one that runs the statement gets its own.

    A database for which the filter has no exact translation gets the error when it compiles the statement. So does a
    statement in which something beside the condition may loosen it, or whose FROM lacks the rows that it restricts.
    """

    inherit_cache = True
    _traverse_internals = [*Filter._traverse_internals, ("anchors", InternalTraversal.dp_clauseelement_tuple)]  # noqa: RUF012  # its name
    is_permitted = True

    def __init__(
        self,
        tables: Sequence[Any],
        anchors: Sequence[Any],
        shapes: Iterable[tuple[str, Shape]],
        parts: Sequence[Any],
        refusals: Mapping[str, Error] | None = None,
    ):
        """`tables` are those of the entity whose rows it restricts, and `anchors` are columns of them."""
        super().__init__(shapes, parts)
        self.tables, self.anchors, self.refusals = tuple(tables), tuple(anchors), refusals or {}

    @property
    def _from_objects(self) -> list[Any]:
        """Nothing: a table that only the condition brought into FROM would multiply the rows of the others."""
        return []

    def check_place(self, compiler: SQLCompiler) -> None:
        """Raises QueryRefused if the statement around may loosen the condition, or does not have its rows."""
        if not compiler.stack:
            return  # printed alone
        option = self._annotations.get("for_loader_criteria")
        if isinstance(compiler.statement, LambdaElement) or getattr(option, "deferred_where_criteria", False):
            raise QueryRefused(*LAMBDA)
        for entry in compiler.stack:
            check_statement(entry["selectable"], entry["asfrom_froms"], compiler.dialect.name)
        sources = [one for entry in compiler.stack for one in entry["asfrom_froms"]]
        check_names([*(entry["selectable"] for entry in compiler.stack), self], sources)
        nearest = compiler.stack[-1]
        there = {one for source in nearest["correlate_froms"] | nearest["asfrom_froms"] for one in source._from_objects}
        for needed in (one for part in (*self.anchors, *self.parts) for one in part._from_objects):
            if needed not in there:
                reason = f"the FROM beside `permitted` lacks `{getattr(needed, 'name', needed)}`"
                raise QueryRefused(reason, "give `permitted` the class or the alias that the statement selects from")

    @classmethod
    def joined(
        cls, tables: Sequence[Any], anchors: Sequence[Any], filters: Sequence[Filter], refusals: Mapping[str, Error]
    ) -> "Permitted":
        """Returns the filters, each for its dialects, as one clause. Equal values and columns are one part of it."""
        for part in (part for one in filters for part in one.parts):
            visitors.traverse(part, {}, {"bindparam": _without_a_known_name})
        parts: list[Any] = []
        places: dict[Any, int] = {}
        shapes = []
        for one in filters:
            moved = []
            for part in one.parts:
                key = _sameness(part)
                if key not in places:
                    places[key] = len(parts)
                    parts.append(part)
                moved.append(places[key])
            shapes += [
                (name, tuple(at if isinstance(at, str) else moved[at] for at in shape)) for name, shape in one.shapes
            ]
        return cls(tables, anchors, shapes, parts, refusals)

    def shape_for(self, dialect: str) -> Shape:
        """Returns the SQL of a dialect. Raises the error of its refusal, and Untranslatable for other dialects."""
        if dialect in self.refusals:
            raise self.refusals[dialect]
        try:
            return super().shape_for(dialect)
        except sa.exc.CompileError:
            reason, remedy = "no filter was made for this database", f"the databases are {', '.join(DIALECTS)}"
            raise Untranslatable("$", dialect, reason, remedy) from None


def _without_a_known_name(value: Any) -> None:
    """Gives a value a name that no parameter of an execution has, such as one of a condition on a table of grants.

    A value with a name of the application is left, since the application says it when it executes the statement.
    """
    if value.unique and value._orig_key != VALUE:
        value._orig_key = VALUE
        value.key = _anonymous_label.safe_construct(id(value), VALUE)


def _sameness(part: Any) -> Any:
    """Returns what two parts that are the same have in common. A text is one value in all dialects, as is a grant."""
    if isinstance(part, sa.BindParameter) and isinstance(part.value, str):
        return part.value, part.type.__class__
    return id(part.element if isinstance(part, Grouping) else part)


def restricted_by(clauses: Iterable[Any]) -> set[Any]:
    """Returns the tables and aliases whose rows some condition of `permitted` restricts, if all the clauses hold.

    Elsewhere than among the clauses and their ANDs, such as under NOT or in a select inside, it restricts nothing.
    """
    return {table for one in _conjuncts(clauses) if isinstance(one, Permitted) for table in one.tables}


def _conjuncts(clauses: Iterable[Any]) -> Iterator[Any]:
    for one in clauses:
        if isinstance(one, Guarded) or (isinstance(one, sa.BooleanClauseList) and one.operator is and_):
            yield from _conjuncts(one.clauses)
        elif isinstance(one, Grouping):
            yield from _conjuncts([one.element])
        else:
            yield one
