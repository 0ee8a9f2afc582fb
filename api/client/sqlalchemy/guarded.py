"""`Guarded`: the conditions that a statement has, in brackets, before the condition of Writ."""

import re
from collections.abc import Iterable
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.visitors import InternalTraversal

from ..queries.raw_sql import REMEDY, VALUE, Backslash, fault_of
from ..queries.refusal import QueryRefused

_UNDOUBLED: Final = re.compile(r"%\([^)]*\)s|__\[POSTCOMPILE_[^\]]*\]")
_VALUES: Final = re.compile(rf"%%|{_UNDOUBLED.pattern}")


class Guarded(sa.ColumnElement[bool]):
    """The conditions of a statement in brackets. They are rendered as SQLAlchemy joins them, with all their texts."""

    __visit_name__ = "writ_guarded"
    inherit_cache = True
    _traverse_internals = [("clauses", InternalTraversal.dp_clauseelement_tuple)]  # noqa: RUF012  # its name
    type = sa.Boolean()

    def __init__(self, clauses: Iterable[Any]):
        self.clauses = tuple(clauses)

    @property
    def _from_objects(self) -> list[Any]:
        return [one for clause in self.clauses for one in clause._from_objects]

    def self_group(self, against: Any = None) -> Any:  # noqa: ARG002  # SQLAlchemy's name
        """Returns the same: it has its brackets."""
        return self


@compiles(Guarded)
def _rendered(element: Guarded, compiler: SQLCompiler, **options: Any) -> str:
    """Returns the conditions in brackets. Raises QueryRefused if their SQL may end elsewhere."""
    join: Any = compiler._generate_delimited_and_list
    sql = join(element.clauses, **options)
    backslash: Backslash = "escape" if getattr(compiler.dialect, "_backslash_escapes", False) else "plain"
    fault = fault_of(_marked(sql, compiler), compiler.dialect.name, backslash)
    if fault is not None:
        raise QueryRefused(f"a condition of the statement {fault}", REMEDY)
    return f"({sql})"


def _marked(sql: str, compiler: Any) -> str:
    """Returns SQL with `VALUE` for each value, wherever SQLAlchemy or a driver puts one.

    Where the driver reads `%`, SQLAlchemy doubles each one of a text, and behind another one, it begins no value.
    """
    pattern = _VALUES if compiler.preparer._double_percents else _UNDOUBLED
    sql = pattern.sub(lambda found: found.group() if found.group() == "%%" else VALUE, sql)
    if compiler.dialect.paramstyle == "named":
        for name in sorted(compiler.binds, key=len, reverse=True):
            sql = sql.replace(f":{name}", VALUE)
    return sql


def in_brackets(statement: Any) -> Any:
    """Returns a select, an update or a delete whose conditions stand in brackets, so that another one may follow."""
    held = {name: getattr(statement, name, ()) for name in ("_where_criteria", "_having_criteria")}
    if not any(held.values()):
        return statement
    found = statement._generate()
    for name, clauses in held.items():
        if clauses:
            setattr(found, name, (Guarded(clauses),))
    return found
