"""Whose values a statement returns: the classes and tables of its columns, and those inside subqueries."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.orm import Bundle
from sqlalchemy.sql.selectable import Alias, FromClause, Values

from .column_values import expressions_with
from .entities import entity_of
from .selects import Around, columns_of, leaves_of, own_tables, restricted_in, target_of

_NUMBER: Final = re.compile(r"\s*\d+\s*")
_EVERYTHING: Final = "*"


class Returned:
    """The classes and tables whose values the columns of a statement show.

    `direct` are the classes, aliases and tables that have these columns. `inside` are those whose values come from a
    subquery that does not restrict them itself. `has_text` says that some SQL is a text, which may show anything, and
    `has_all` that a subquery shows all its columns.
    """

    def __init__(self, tables: Callable[[], Sequence[Any]], around: Around | None = None):
        """`tables` returns those in FROM, which a subquery may have from there. `around` has more of them."""
        self._tables, self._known, self._is_nested = tables, around, around is not None
        self.direct: dict[Any, None] = {}
        self.inside: dict[Any, None] = {}
        self.has_text = self.has_all = False
        self._types: list[Any] = []

    def add(self, shown: Any, options: Sequence[Any]) -> None:
        """Adds whose values a column has: a class, an alias of one, an attribute, a bundle or a clause."""
        if isinstance(shown, Bundle):
            for one in shown.exprs:
                self.add(one, options)
            return
        inspected = sa.inspect(shown, raiseerr=False)
        if getattr(inspected, "is_mapper", False) or getattr(inspected, "is_aliased_class", False):
            self.direct[inspected.entity] = None
            for expression in expressions_with(inspected, options):
                self.collect(expression)
        elif hasattr(inspected, "__clause_element__"):
            self.collect(inspected.__clause_element__())
        elif isinstance(inspected, sa.ClauseElement):
            self.collect(inspected)

    def collect(self, clause: Any, *, in_function: bool = False) -> None:
        """Adds whose values a clause has."""
        if isinstance(kind := getattr(clause, "type", None), sa.types.TypeEngine):
            self._add_type(kind)
        if isinstance(clause, sa.SelectBase | FromClause):
            self._read(clause)
        elif isinstance(clause, sa.TextClause):
            self._add_text(clause.text, in_function)
        elif isinstance(clause, sa.ColumnClause):
            self._add_column(clause, in_function)
        else:
            for part in clause.get_children():
                self.collect(part, in_function=isinstance(clause, sa.sql.functions.FunctionElement) or in_function)

    def _add_type(self, kind: Any) -> None:
        """Adds what a type shows besides its column, if it makes an expression of it: the same for each column."""
        for one in (kind, *kind._variant_mapping.values()):
            if one._has_column_expression and one not in self._types:
                self._types.append(one)
                self.collect(one.column_expression(sa.null()), in_function=True)

    def _add_column(self, column: Any, in_function: bool) -> None:
        table, parent = column.table, column._annotations.get("parententity")
        if parent is not None:
            self.direct[parent.entity] = None
        elif isinstance(table, sa.TableClause) or (
            isinstance(table, Alias) and isinstance(table.element, sa.TableClause)
        ):
            self.direct[table] = None
        elif table is not None:
            self._read(table)
        else:
            self._add_text(column.name, in_function, column.is_literal)

    def _add_text(self, text: str, in_function: bool, may_be_plain: bool = True) -> None:
        """Adds the text of some SQL. A number shows nothing, nor does the star of `count(*)`.

        The star of a subquery, such as EXISTS, stands for all columns. Another one is as good as any text.
        """
        if may_be_plain and text == _EVERYTHING and (in_function or self._is_nested):
            self.has_all |= not in_function
        else:
            self.has_text |= not (may_be_plain and _NUMBER.fullmatch(text))

    def forget_tables(self) -> None:
        """Forgets the tables of classes that are there, too: they have the same place in FROM."""
        tables = {table for one in self.direct if isinstance(one, type) for table in entity_of(one).tables}
        self.direct = {one: None for one in self.direct if not isinstance(one, sa.TableClause) or one not in tables}

    def _read(self, source: Any) -> None:
        """Adds what a subquery shows, as far as its own conditions do not restrict it."""
        found: Any = source
        while isinstance(found, FromClause) and not isinstance(found, sa.SelectBase | sa.TableClause):
            inner = getattr(found, "element", None)
            if not isinstance(inner, FromClause | sa.SelectBase):
                break
            found = inner
        if isinstance(found, sa.CompoundSelect):
            for one in found.selects:
                self._read(one)
        elif isinstance(found, sa.Select):
            self._read_select(found, in_from=isinstance(source, FromClause) and not isinstance(source, sa.SelectBase))
        elif isinstance(found, sa.TextualSelect):
            self.has_text = True
        elif isinstance(found, sa.TableClause):
            (self.direct if found is source else self.inside)[found] = None  # a sample has another place
        elif isinstance(found, Values):
            for value in (value for rows in found._data for row in rows for value in row):
                if isinstance(value, sa.ClauseElement):
                    self.collect(value, in_function=True)
        else:
            for part in found.get_children():
                if not isinstance(part, sa.ColumnClause):
                    self.collect(part, in_function=True)

    def _around(self) -> Around:
        """Returns the tables for a subquery. PERF: SQLAlchemy finds those of a statement slowly."""
        if self._known is None:
            tables = self._tables()
            self._known = Around(tables, tables)
        return self._known

    def _read_select(self, select: sa.Select[Any], *, in_from: bool) -> None:
        around = self._around()
        own = own_tables(select, None if in_from else around)
        shown = returned_by(select, columns_of(select), Around(own, [*around.every, *own]))
        self.has_text |= shown.has_text
        self.inside |= shown.inside
        restricted = restricted_in(select)
        for one in shown.direct:
            entity = entity_of(one)
            is_own = any(table in own for table in entity.tables)
            if not entity.is_restricted(restricted):
                is_of_around = not is_own and any(table in around.every for table in entity.tables)
                (self.direct if is_of_around else self.inside)[one] = None


def returned_by(statement: sa.Select[Any], columns: Sequence[Any], around: Around | None = None) -> Returned:
    """Returns what a select with these columns returns. Without a column of a table, these are the tables in FROM.

    For a subquery, `around` has the tables that it reads itself, and all those that it may have from around.
    """

    def own() -> Sequence[Any]:
        return [table for table, _ in leaves_of(statement)] if around is None else around.nearest

    found = Returned(own, around)
    for one in columns:
        found.add(one, statement._with_options)
    if found.has_all or not (found.direct or found.has_text):
        targets = map(target_of, own())
        found.direct |= dict.fromkeys(one for one in targets if one is not None)
    found.forget_tables()
    return found


def changed_by(statement: Any) -> Any:
    """Returns the class or the table whose rows a write changes. SQLAlchemy's `entity_description` fails for some."""
    parent = statement.table._annotations.get("parententity")
    return statement.table if parent is None else parent.entity


def returned_by_write(statement: Any) -> Returned:
    """Returns what a write returns. SQLAlchemy's `returning_column_descriptions` fails for a subquery."""
    found = Returned(lambda: [statement.table])
    for clause in statement._returning:
        mapper = clause._annotations.get("parentmapper") if isinstance(clause, sa.Table) else None
        if mapper is None:
            found.collect(clause)
        else:
            found.add(mapper.class_, statement._with_options)
    return found


def rows_returned_by_write(statement: Any) -> list[Any]:
    """Returns the classes of the rows that a write returns as objects."""
    whole = (one._annotations.get("parententity") for one in statement._returning if isinstance(one, FromClause))
    return [parent.entity for parent in whole if parent is not None]


def columns_changed_by(statement: Any) -> Returned:
    """Returns whose columns an update changes."""
    return _collected(statement, (column for column, _ in _changes(statement)))


def written_by(statement: Any) -> Returned:
    """Returns whose values an update writes into the rows."""
    return _collected(statement, (value for _, value in _changes(statement)))


def _collected(statement: Any, parts: Iterable[Any]) -> Returned:
    found = Returned(lambda: [statement.table])
    for one in parts:
        if isinstance(one, sa.ClauseElement):
            found.collect(one)
    return found


def _changes(statement: Any) -> list[tuple[Any, Any]]:
    """Returns the columns that an update changes, each with its value."""
    ordered = dict(getattr(statement, "_ordered_values", None) or ())
    return [*(statement._values or {}).items(), *ordered.items()]
