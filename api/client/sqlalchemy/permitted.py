"""The condition as a clause of SQLAlchemy, which has the SQL of several databases."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import visitors

from ..bundles.errors import Error
from ..runtime.translate import Untranslatable
from ..runtime.translate.sqlalchemy import DIALECTS, Filter, Shape


class Permitted(Filter):
    """The condition for several databases. The one that runs the statement gets its own.

    A database for which the filter has no exact translation gets the error when it compiles the statement.
    """

    inherit_cache = True

    def __init__(
        self,
        tables: Sequence[Any],
        shapes: Iterable[tuple[str, Shape]],
        parts: Sequence[Any],
        refusals: Mapping[str, Error] | None = None,
    ):
        """`tables` are those of the entity whose rows it restricts."""
        super().__init__(shapes, parts)
        self.tables, self.refusals = tuple(tables), refusals or {}

    @classmethod
    def joined(cls, tables: Sequence[Any], filters: Sequence[Filter], refusals: Mapping[str, Error]) -> "Permitted":
        """Returns the filters, each for its dialects, as one clause. Equal values and columns are one part of it."""
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
        return cls(tables, shapes, parts, refusals)

    def shape_for(self, dialect: str) -> Shape:
        """Returns the SQL of a dialect. Raises the error of its refusal, and Untranslatable for other dialects."""
        if dialect in self.refusals:
            raise self.refusals[dialect]
        try:
            return super().shape_for(dialect)
        except sa.exc.CompileError:
            reason, remedy = "no filter was made for this database", f"the databases are {', '.join(DIALECTS)}"
            raise Untranslatable("$", dialect, reason, remedy) from None


def _sameness(part: Any) -> Any:
    """Returns what two parts that are the same have in common. A text is one value in all dialects."""
    if isinstance(part, sa.BindParameter) and isinstance(part.value, str):
        return part.value, part.type.__class__
    return id(part)


def restricted_by(clauses: Sequence[Any]) -> set[Any]:
    """Returns the tables and aliases whose rows some condition of `permitted` in the clauses restricts."""
    conditions = (one for clause in clauses for one in visitors.iterate(clause) if isinstance(one, Permitted))
    return {table for one in conditions for table in one.tables}
