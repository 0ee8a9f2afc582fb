"""The rows that a select returns: the classes and tables of its columns, and those inside subqueries."""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import visitors
from sqlalchemy.sql.selectable import Alias, FromClause

from .permitted import conditions_in


def is_plain(statement: Any) -> bool:
    """Returns whether a select has no explicit join and no explicit FROM.

    PERF: SQLAlchemy finds the joins of classes by compiling, which takes a millisecond.
    """
    return not statement._setup_joins and not statement._from_obj


def sources_of(statement: sa.Select[Any]) -> Sequence[Any]:
    """Returns what stands in FROM."""
    return statement.get_final_froms()


def returned_by(descriptions: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Returns the classes, aliases and tables whose columns a select returns, and those that its subqueries read.

    `descriptions` are the `column_descriptions` of the select. A subquery that is authorized itself does not count.
    """
    direct: dict[Any, None] = {}
    inside: dict[Any, None] = {}
    for described in descriptions:
        shown = described["expr"]
        clause = shown if isinstance(shown, sa.ClauseElement) else sa.inspect(shown, raiseerr=False)
        if described.get("entity") is not None and not isinstance(shown, sa.ClauseElement):
            direct[described["entity"]] = None
        elif isinstance(clause, sa.ClauseElement):
            _collect(clause, direct, inside)
    return [*direct], [one for one in inside if one not in direct]


def returned_by_write(statement: sa.Update | sa.Delete) -> list[Any]:
    """Returns the classes, aliases and tables whose values a write returns, also those that subqueries read.

    SQLAlchemy's `returning_column_descriptions` fails for a subquery.
    """
    direct: dict[Any, None] = {}
    inside: dict[Any, None] = {}
    for clause in statement._returning:
        _collect(clause, direct, inside)
    return [*direct, *(one for one in inside if one not in direct)]


def _collect(clause: Any, direct: dict[Any, None], inside: dict[Any, None]) -> None:
    for element in _outside_of_selects(clause):
        if isinstance(element, sa.SelectBase | FromClause):
            _read(element, inside)
        elif isinstance(element, sa.ColumnClause):
            table = element.table
            parent = element._annotations.get("parententity")
            if parent is not None:
                direct[parent.entity] = None
            elif isinstance(table, sa.Table) or (isinstance(table, Alias) and isinstance(table.element, sa.Table)):
                direct[table] = None
            elif table is not None:
                _read(table, inside)


def _outside_of_selects(clause: Any) -> Iterator[Any]:
    """Yields a clause and all parts of it, but no part of a select in it."""
    yield clause
    if not isinstance(clause, sa.SelectBase):
        for part in clause.get_children():
            yield from _outside_of_selects(part)


def _read(select: Any, inside: dict[Any, None]) -> None:
    """Notes the tables that a subquery reads, unless it is authorized."""
    if conditions_in([select]):
        return
    elements = [*visitors.iterate(select)]
    parents = {one._annotations["parententity"].mapper for one in elements if "parententity" in one._annotations}
    mapped = {table for parent in parents for table in parent.tables}
    inside.update(dict.fromkeys(parent.class_ for parent in parents))
    inside.update(dict.fromkeys(one for one in elements if isinstance(one, sa.Table) and one not in mapped))
