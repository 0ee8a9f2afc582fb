"""A filter as parametrised SQL text for PostgreSQL, MySQL, SQLite and DuckDB.

Reading path: `shared_conditions` (for indexes) → `fragments` → `dialect` → `postgresql_arrays` → `postgresql`, `mysql`,
`sqlite`, `duckdb`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import Untranslatable
from ..fields import Direct, Fields
from ..read_tree import TreeLimits
from ..translation_plan import plan
from .dialect import Dialect
from .duckdb import DuckDb
from .fragments import Column, Fragment, Given, Parameter, Sql
from .mysql import MySql
from .postgresql import PostgreSql
from .shared_conditions import shared_outside
from .sqlite import Sqlite

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (PostgreSql(), MySql(), Sqlite(), DuckDb())}


class Where(NamedTuple):
    """A condition for a WHERE clause, which is never NULL, and its values in the order of their placeholders."""

    text: str
    parameters: list[Any]


def where(
    tree: Any, fields: Fields, dialect: str, limits: TreeLimits | None = None, *, direct: Direct | None = None
) -> Where:
    """Returns the filter as a condition of `dialect` (postgresql, mysql, sqlite, duckdb).

    A column is its name, with `.` between table and column: `d.status`. Placeholders are `%s` for PostgreSQL and
    MySQL, `?` for SQLite and DuckDB. `direct` returns the condition for a node of direct grants: its SQL with the same
    placeholders, and their values (F8). Raises BadFilter and Untranslatable.

    >>> from writ.runtime.translate import Text
    >>> tree = {"type": "field", "field": "status", "operator": "eq", "value": "draft"}
    >>> where(tree, {"status": Text("s")}, dialect="sqlite")
    Where(text="(typeof(`s`) = 'text' AND `s` = ? AND (`s` || '') = ?)", parameters=['draft', 'draft'])
    """
    fragments = condition(tree, fields, dialect, limits, direct)
    quote, placeholder = _STYLES[dialect]
    text: list[str] = []
    parameters: list[Any] = []
    for fragment in fragments:
        match fragment:
            case Parameter(value):
                text.append(placeholder)
                parameters.append(value)
            case Given((str(given), [*values])):
                text.append(f"({given})")
                parameters += values
            case Given():
                raise TypeError("`direct` returns a condition as text, and the list of its values")
            case Column(named):
                text.append(".".join(map(quote, named.split("."))))
            case _:
                text.append(fragment)
    return Where("".join(text), parameters)


def condition(
    tree: Any, fields: Fields, dialect: str, limits: TreeLimits | None = None, direct: Direct | None = None
) -> Sql:
    """Returns the filter as fragments of SQL, for libraries that render columns and values in their own way."""
    spoken = DIALECTS.get(dialect)
    if spoken is None:
        raise Untranslatable(
            "$", dialect, "how it compares is not known here", f"the dialects are {', '.join(DIALECTS)}"
        )
    fragments = spoken.condition(shared_outside(plan(tree, fields, dialect, limits, direct)))
    values = sum(map(_values, fragments))
    if values > spoken.most_values:
        raise Untranslatable(
            "$",
            dialect,
            f"the condition binds {values} values, a statement takes {spoken.most_values}",
            "ask for the results instead of the filter",
        )
    return fragments


def _values(fragment: Fragment) -> int:
    """Returns the values that a fragment binds, as far as it is known."""
    match fragment:
        case Parameter():
            return 1
        case Given((_, [*values])):
            return len(values)
        case _:
            return 0


def _quoter(mark: str, percent: str) -> Callable[[str], str]:
    return lambda name: mark + name.replace(mark, mark * 2).replace("%", percent) + mark


_STYLES: dict[str, tuple[Callable[[str], str], str]] = {
    "postgresql": (_quoter('"', "%%"), "%s"),
    "mysql": (_quoter("`", "%%"), "%s"),
    "sqlite": (_quoter("`", "%"), "?"),  # it takes an unknown name between double quotes for a string
    "duckdb": (_quoter('"', "%"), "?"),
}
