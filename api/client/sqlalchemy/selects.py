"""The parts of a select: the tables in FROM, and its columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.sql.selectable import Alias, FromGrouping, TableSample

from .entities import leaves
from .permitted import restricted_by

TEXTS: Final = (
    "the statement returns texts, which may show values of any type",
    "write them as columns, or name with `of` which rows to authorize",
)
"""The reason and the remedy of a refusal."""


@dataclass(frozen=True)
class Around:
    """The tables that the nearest select around a subquery reads, and those of all selects around it."""

    nearest: Sequence[Any]
    every: Sequence[Any]


def is_plain(statement: Any) -> bool:
    """Returns whether a select has no explicit join and no explicit FROM.

    PERF: SQLAlchemy finds the joins of classes by compiling, which takes a millisecond.
    """
    return not statement._setup_joins and not statement._from_obj


def leaves_of(statement: sa.Select[Any]) -> list[tuple[Any, bool]]:
    """Returns the tables in FROM, each with whether an outer join may put NULL in place of its rows."""
    only = _only_table(statement)
    if only is not None:
        return [(only, False)]
    return [leaf for source in statement.get_final_froms() for leaf in leaves(source)]


def _only_table(statement: sa.Select[Any]) -> Any:
    """Returns the table of a select that names nothing but one table, or None. PERF: as in `is_plain`.

    SQLAlchemy reads the join or the select to which a class is mapped in place of the table of its column. The alias
    of a joined load is left out: nothing can name it, and `check_loads` looks at it.
    """
    if statement._setup_joins or statement._memoized_select_entities:
        return None
    columns = [one for one in statement._raw_columns if one._from_objects]
    if not all(isinstance(one, sa.Table | sa.ColumnClause) for one in columns):
        return None
    parents = [one._annotations.get("parententity") for one in (*statement._from_obj, *columns)]
    selected = [parent.selectable for parent in parents if parent is not None]
    named = [one for part in (*columns, *statement._where_criteria) for one in part._from_objects]
    named = [*statement._from_obj, *selected, *named]
    is_one = named and all(isinstance(one, sa.Table) and one == named[0] for one in named)
    return named[0] if is_one else None


def columns_of(statement: sa.Select[Any]) -> list[Any]:
    """Returns the columns of a select: classes, aliases, attributes, bundles and clauses."""
    try:
        return [described["expr"] for described in statement.column_descriptions]
    except AttributeError:  # SQLAlchemy fails if a text is the first column, and FROM has a class
        return [_class_or_column(one) for one in statement._raw_columns]


def _class_or_column(column: Any) -> Any:
    parent = column._annotations.get("parententity")
    return parent.entity if parent is not None and isinstance(column, sa.FromClause) else column


def own_tables(select: Any, around: Around | None) -> list[Any]:
    """Returns the tables that a subquery reads itself. It has the others in its FROM from the selects around it.

    SQLAlchemy takes a table from there as a whole element of FROM, never one of a join. Without being told which, it
    takes those of the nearest select.
    """
    froms = select.get_final_froms()
    taken = [] if around is None else [source for source in froms if _is_taken(source, select, froms, around)]
    return [table for source in froms if source not in taken for table, _ in leaves(source)]


def _is_taken(source: Any, select: Any, froms: Sequence[Any], around: Around) -> bool:
    if select._correlate:
        return source in select._correlate and source in around.every
    if select._correlate_except is not None:
        return source not in select._correlate_except and source in around.every
    return bool(select._auto_correlate) and len(froms) > 1 and source in around.nearest


def target_of(table: Any) -> Any:
    """Returns the class, alias or table of a leaf of FROM, or None for a subquery and the like."""
    parent = getattr(table, "_annotations", {}).get("parententity")
    if parent is not None:
        return parent.entity
    if isinstance(table, TableSample):
        return target_of(table.element)
    return table if isinstance(table, sa.TableClause | Alias) else None


def restricted_in(select: sa.Select[Any]) -> set[Any]:
    """Returns the tables and aliases whose rows a condition of `permitted` restricts in a select.

    It is a part of its WHERE, or of the ON clause of a join whose rows it can drop or replace by NULL.
    """
    joined = (table for source in select.get_final_froms() for table in _restricted_in_join(source))
    return restricted_by(select._where_criteria) | set(joined)


def _restricted_in_join(source: Any) -> Iterator[Any]:
    if isinstance(source, FromGrouping):
        yield from _restricted_in_join(source.element)
    elif isinstance(source, sa.Join):
        restricting = source.right if source.isouter else source
        held = {table for table, _ in leaves(restricting)} if not source.full else set()
        yield from held & restricted_by([source.onclause])
        yield from _restricted_in_join(source.left)
        yield from _restricted_in_join(source.right)
