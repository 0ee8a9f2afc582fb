"""The check of a statement: none of its raw pieces of SQL may loosen a condition of Writ that stands beside it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.sql import visitors
from sqlalchemy.sql.lambdas import LambdaElement
from sqlalchemy.sql.selectable import FromGrouping

from ..bundles.wording import quoted
from ..queries.raw_sql import LOOSE_WORDS, REMEDY, STATEMENT_WORDS, check_raw, fault_of, names_word, shown
from ..queries.refusal import QueryRefused
from ..runtime.translate.sqlalchemy import DIALECTS
from .entities import LAMBDA
from .raw_pieces import additions, holds_permitted, is_plain_clause, pieces_in

_LOCKS: Final = (
    r"FOR (NO KEY )?UPDATE( NOWAIT| SKIP LOCKED)?|FOR (KEY )?SHARE( NOWAIT| SKIP LOCKED)?|LOCK IN SHARE MODE"
)
_PREFIXES: Final = (
    r"DISTINCT|DISTINCTROW|ALL|HIGH_PRIORITY|LOW_PRIORITY|QUICK|STRAIGHT_JOIN|SQL_[A-Z_]+|(NOT )?MATERIALIZED"
)
_INDEXES: Final = r"(USE|FORCE|IGNORE) (INDEX|KEY)( FOR (JOIN|ORDER BY|GROUP BY))? \([\w, `]*\)"
KNOWN_ADDITIONS: Final = re.compile(rf"{_LOCKS}|{_PREFIXES}|{_INDEXES}", re.IGNORECASE | re.ASCII)
"""The prefixes, suffixes and hints that are no part of a condition, a column or another statement."""

_OWN_CLAUSES: Final = ("_post_select_clause", "_pre_columns_clause", "_post_criteria_clause", "_post_body_clause")
_PARTS: Final = (
    *("_raw_columns", "_group_by_clauses", "_order_by_clauses", "_distinct_on", "_returning"),
    *("_independent_ctes", "selects"),
    *("_limit_clause", "_offset_clause", "_fetch_clause", "_for_update_arg"),
)


def check_at_once(statement: Any, dialect: str | None) -> None:
    """Raises QueryRefused for a raw piece that no database may read in its brackets, or not the one that is named."""
    parts = visitors.iterate(statement)
    next(parts)
    is_plain = all(map(is_plain_clause, parts))
    _check_additions(statement, dialect)
    if is_plain:
        return
    for piece in pieces_in(statement, True):
        if piece.sql is not None:
            faults = [fault_of(piece.sql, one) for one in ([dialect] if dialect else DIALECTS)]
            if all(faults):
                raise QueryRefused(f"{piece.shown} {shown(piece.sql)} {faults[0]}", REMEDY)
    for one in visitors.iterate(statement):
        if isinstance(one, sa.CTE):
            _check_additions(one, dialect)
        if isinstance(one, sa.sql.dml.UpdateBase) and one is not statement:
            raise QueryRefused(
                "the statement has another write inside it", "authorize and execute that write by itself"
            )


def check_statement(statement: Any, sources: Iterable[Any], dialect: str) -> None:
    """Raises QueryRefused if a raw piece of a statement may loosen a condition that stands beside it.

    `sources` are what the statement has in FROM.
    """
    joined = [*sources]
    for one in [statement, *(one for one in visitors.iterate(statement) if isinstance(one, sa.CTE))]:
        _check_additions(one, dialect)
    for clause in [*_conditions(statement), *(on for source in joined for on in _ons(source))]:
        _check(clause, LOOSE_WORDS, dialect)
    values = getattr(statement, "_values", None) or {}
    for clause in [*_parts(statement), *values.values(), *(one for source in joined for one in _sources(source))]:
        if isinstance(clause, sa.ClauseElement):
            _check(clause, STATEMENT_WORDS, dialect)


def check_names(statements: Sequence[Any], sources: Iterable[Any]) -> None:
    """Raises QueryRefused if a common table expression hides a table in one of the statements around a condition.

    A database reads its rows in place of those of the table with its name, at any depth.
    """
    every = [one for around in (*statements, *sources) for one in visitors.iterate(around)]
    tables = (getattr(one, "table", one) for one in every)
    names = {str(one.name).casefold() for one in tables if isinstance(one, sa.TableClause)}
    for one in every:
        if isinstance(one, sa.CTE) and str(one.name).casefold() in names:
            reason = f"the common table expression {quoted(str(one.name))} hides the table with its name"
            raise QueryRefused(reason, "give it another name")


def _check(clause: Any, words: frozenset[str], dialect: str) -> None:
    for piece in pieces_in(clause):
        if piece.sql is None:
            raise QueryRefused(f"{piece.shown} renders SQL that nobody knows", "write it with columns and functions")
        check_raw(piece.sql, dialect)
        loose = None if piece.enclosed else names_word(piece.sql, words, dialect)
        if loose is not None:
            reason = f"{piece.shown} {shown(piece.sql)} has `{loose}` outside of brackets, beside a condition of Writ"
            raise QueryRefused(reason, "put brackets around it")
    if any(isinstance(one, LambdaElement) and holds_permitted(one) for one in visitors.iterate(clause)):
        raise QueryRefused(*LAMBDA)


def _conditions(statement: Any) -> list[Any]:
    return [*getattr(statement, "_where_criteria", ()), *getattr(statement, "_having_criteria", ())]


def _ons(source: Any) -> Iterator[Any]:
    if isinstance(source, sa.Join):
        yield source.onclause
        yield from _ons(source.left)
        yield from _ons(source.right)
    elif isinstance(source, FromGrouping):
        yield from _ons(source.element)


def _sources(source: Any) -> Iterator[Any]:
    if isinstance(source, sa.Join):
        yield from _sources(source.left)
        yield from _sources(source.right)
    elif isinstance(source, FromGrouping):
        yield from _sources(source.element)
    else:
        yield source


def _parts(statement: Any) -> Iterator[Any]:
    for name in _PARTS:
        found = getattr(statement, name, None)
        yield from found if isinstance(found, list | tuple) else [found]


def _check_additions(statement: Any, dialect: str | None) -> None:
    """Raises QueryRefused for a prefix, a suffix, a hint or an extension that may change the rows or the columns."""
    for text in additions(statement, dialect):
        if not KNOWN_ADDITIONS.fullmatch(text.strip()):
            reason = f"the prefix, suffix or hint {quoted(text)} may change the condition or the columns"
            raise QueryRefused(reason, "leave it out, or use a method such as `with_for_update`")
    for name in _OWN_CLAUSES:
        clause = getattr(statement, name, None)
        if clause is not None and not type(clause).__module__.startswith("sqlalchemy."):
            reason = f"the extension `{type(clause).__name__}` may change the condition or the columns"
            raise QueryRefused(reason, "leave it out")
