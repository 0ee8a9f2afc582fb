"""`authorized`: a statement over the rows that a subject may act on, exactly, or a refusal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

import sqlalchemy as sa

from ..queries.questions import AnswersFilters, Question
from ..queries.raw_sql import REMEDY
from ..queries.refusal import QueryRefused
from .conditions import permitted_by
from .entities import Entity, entity_of, is_declared
from .guarded import in_brackets
from .loads import check_loads
from .raw_checks import check_at_once
from .returned import (
    Returned,
    changed_by,
    columns_changed_by,
    returned_by,
    returned_by_write,
    rows_returned_by_write,
    written_by,
)
from .row_fields import Fields
from .selects import TEXTS, columns_of, is_plain, leaves_of

Statement = TypeVar("Statement", bound="sa.Select[Any] | sa.Update | sa.Delete")


def authorized(
    statement: Statement,
    engine: AnswersFilters,
    subject: Mapping[str, Any],
    action: str | Mapping[str, Any],
    *,
    of: Any = None,
    resource_type: str | None = None,
    context: Mapping[str, Any] | None = None,
    actor: Mapping[str, Any] | None = None,
    fields: Fields | None = None,
    mirror: sa.FromClause | None = None,
    dialect: str | None = None,
    now: float | None = None,
) -> Statement:
    """Returns the statement over the rows on which the subject may do the action, before any limit.

    `of` names the classes, aliases or tables to authorize, one or a sequence. Without it, it is the one of the declared
    types whose rows the statement returns or changes. The other parameters are those of `permitted`.

    Raises QueryRefused if the statement can't be authorized exactly, or if it also returns rows of another declared
    type, and what `permitted` raises.
    """
    question = Question(engine, subject, action, context, actor, now)
    if isinstance(statement, sa.Select | sa.Update | sa.Delete):
        check_at_once(statement, dialect)
    if isinstance(statement, sa.Select):
        columns = columns_of(statement)  # PERF: SQLAlchemy describes them each time
        entities = _selected(statement, columns, question, of)
        check_loads(statement, columns, entities, question)
    elif isinstance(statement, sa.Update | sa.Delete):
        entities = [_changed(statement, of)]
        _check_write(statement, entities[0], question)
        check_loads(statement, rows_returned_by_write(statement), entities, question)
    else:
        raise QueryRefused(*_NOT_ONE_STATEMENT.get(type(statement), _NO_STATEMENT))
    conditions = [permitted_by(question, one, resource_type, fields or {}, mirror, dialect) for one in entities]
    found: Any = in_brackets(statement).where(*conditions)
    return cast(Statement, found)


_NO_STATEMENT = ("only a select, an update or a delete has rows to authorize", "give a `select()` of a mapped class")
_NOT_ONE_STATEMENT: Mapping[type, tuple[str, str]] = {
    sa.CompoundSelect: ("a union has the rows of several selects", "authorize each select of the union"),
    sa.Insert: ("an insert makes rows that do not exist yet", "ask for the decision about the new row"),
    sa.orm.FromStatement: ("a textual statement can't be changed", "write it as a `select()`"),
    sa.TextualSelect: ("a textual statement can't be changed", "write it as a `select()`"),
    sa.TextClause: ("a textual statement can't be changed", "write it as a `select()`"),
    sa.orm.Query: ("a legacy query can't be changed safely", "write it as a `select()`"),
}


def _selected(statement: sa.Select[Any], columns: Sequence[Any], question: Question, of: Any) -> list[Entity]:
    """Returns the entities to authorize. Raises QueryRefused if it is not clear which, or if NULLs may replace rows."""
    if of is None:
        entities = [_only_one(returned_by(statement, columns), question)]
        if is_plain(statement):
            return entities
    else:
        entities = _named(of)
    sources = leaves_of(statement)
    for entity in entities:
        found = [nullable for table, nullable in sources if table in entity.tables]
        if not found:
            reason = f"the statement does not select from `{entity.shown}`"
            raise QueryRefused(reason, "authorize the select that has it in its FROM")
        if any(found):
            reason = f"an outer join puts NULL in place of rows of `{entity.shown}`, and a condition would drop others"
            raise QueryRefused(reason, "put `permitted(…)` into the ON clause, and name the other class with `of`")
    return entities


def _named(of: Any) -> list[Entity]:
    """Returns the entities that `of` names. Raises QueryRefused for none: the statement would have every row."""
    found = [entity_of(one) for one in (of if isinstance(of, Sequence) else [of])]
    if not found:
        raise QueryRefused("`of` names nothing to authorize", "name a class, an alias or a table, or leave `of` out")
    return found


def _changed(statement: sa.Update | sa.Delete, of: Any) -> Entity:
    """Returns the entity whose rows a write changes. Raises QueryRefused if `of` names another one."""
    changed = entity_of(changed_by(statement))
    named = [changed] if of is None else _named(of)
    if len(named) != 1 or not set(named[0].tables) & set(changed.tables):
        shown = " and ".join(f"`{one.shown}`" for one in named)
        reason = f"`of` names {shown}, and the statement changes rows of `{changed.shown}`"
        raise QueryRefused(reason, "leave `of` out, and put `permitted(…)` of another class into `where`")
    return named[0]


def _check_write(statement: sa.Update | sa.Delete, changed: Entity, question: Question) -> None:
    """Raises QueryRefused if a write also returns or writes values of other rows of a declared type, or texts."""
    if len(changed.tables) > 1:  # SQLAlchemy puts the others into FROM, and joins them with none
        reason = f"the statement changes one table of `{changed.shown}`, and its condition is about another one, too"
        raise QueryRefused(reason, "select the rows with `authorized`, and change them in the session")
    returned = returned_by_write(statement)
    _refuse_texts(returned)
    for one in _of_others(returned, changed, question):
        reason = f"the statement also returns values of `{one.shown}`"
        raise QueryRefused(reason, f"return those of `{changed.shown}` alone, and select the others")
    if isinstance(statement, sa.Update):
        for one in _of_others(columns_changed_by(statement), changed, question):
            reason = f"the statement also changes values of `{one.shown}`"
            raise QueryRefused(reason, f"change those of `{changed.shown}` alone")
        written = written_by(statement)
        if written.has_text:
            raise QueryRefused("the statement writes texts of SQL, which may have values of any row", REMEDY)
        for one in _of_others(written, changed, question):
            reason = f"the statement writes values of `{one.shown}` into the rows"
            raise QueryRefused(reason, "select them with `authorized`, and write them as values")


def _of_others(returned: Returned, changed: Entity, question: Question) -> Iterator[Entity]:
    """Yields the entities of a declared type whose values come from elsewhere than from the changed rows."""
    for one in map(entity_of, (*returned.direct, *returned.inside)):
        is_changed = one.named is changed.named or set() < set(one.tables) <= set(changed.tables)
        if (one.named in returned.inside or not is_changed) and is_declared(one, question):
            yield one


def _refuse_texts(returned: Returned) -> None:
    """Raises QueryRefused if the statement returns texts of SQL, which may show any row."""
    if returned.has_text:
        raise QueryRefused(*TEXTS)


def _only_one(returned: Returned, question: Question) -> Entity:
    _refuse_texts(returned)
    found = [entity_of(one) for one in returned.direct]
    if len(found) == 1 and not returned.inside:
        return found[0]
    declared = [one for one in found if is_declared(one, question)]
    others = [one for one in map(entity_of, returned.inside) if is_declared(one, question)]
    if len(declared) == 1 and not others:
        return declared[0]
    shown = " and ".join(f"`{one.shown}`" for one in (*declared, *others)) or "no declared resource type"
    raise QueryRefused(f"the statement returns values of {shown}", "say with `of` which rows to authorize")
