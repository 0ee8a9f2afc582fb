"""`permitted`: the condition that a subject may act on a row, for each database that runs it."""

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import sqlalchemy as sa

from ..bundles.errors import Error
from ..queries.questions import AnswersFilters, Question
from ..runtime.translate import DirectGrants
from ..runtime.translate.sqlalchemy import DIALECTS, Filter, expression
from .entities import Entity, entity_of
from .held import Held, check_id
from .permitted import Permitted
from .remembered import remembered_for
from .row_fields import Fields, fields_of, for_rows_of, id_of
from .templates import from_template


def permitted(
    entity: Any,
    engine: AnswersFilters,
    subject: Mapping[str, Any],
    action: str | Mapping[str, Any],
    *,
    resource_type: str | None = None,
    context: Mapping[str, Any] | None = None,
    actor: Mapping[str, Any] | None = None,
    fields: Fields | None = None,
    mirror: sa.FromClause | None = None,
    dialect: str | None = None,
    now: float | None = None,
) -> sa.ColumnElement[bool]:
    """Returns the condition that a subject may act on a row, for `where`, `any`, `has`, `and_` and ON clauses.

    Args:
        entity: A mapped class, an alias of one, or a table.
        engine: An engine, the engine of a follower, or a client.
        subject: The subject as in a request, such as `{"type": "user", "id": "alice"}`.
        action: The name of the action, or the action as in a request.
        resource_type: The name of the resource type. Without it, it is the name of the table, or else the name of the
            class in lower case, whichever the model declares.
        context: The context of the request, by which gates are decided (F7).
        actor: The actor that acts for the subject (A1).
        fields: Columns or fields (`writ.runtime.translate`) by attribute, for those whose column does not say enough. A
            function gets the entity and returns one.
        mirror: A table of grants, like `grants_table`. Without it, the condition has the ids of granted resources.
        dialect: The only database to make the condition for. Without it, the one that runs the statement decides.
        now: The instant in epoch seconds. Without it, the engine's own clock counts.

    The condition is never NULL. Raises QueryRefused and Untranslatable if there is no exact condition, and BadRequest
    for a malformed subject, action or context. If only the database that runs a statement has none, compiling the
    statement raises the error.
    """
    found = entity_of(entity)
    question = Question(engine, subject, action, context, actor, now)
    return permitted_by(question, found, resource_type, fields or {}, mirror, dialect)


def permitted_by(
    question: Question,
    entity: Entity,
    resource_type: str | None,
    given: Fields,
    mirror: sa.FromClause | None,
    dialect: str | None,
) -> sa.ColumnElement[bool]:
    """Returns the condition for a question that was put together."""
    if given or mirror is not None:
        return _answered(question, entity, resource_type, given, mirror, dialect)[0]
    return remembered_for(
        question, entity, resource_type, dialect, lambda one: _answered(one, entity, resource_type, {}, None, dialect)
    )


def _answered(
    question: Question, entity: Entity, resource_type: str | None, given: Fields, mirror: Any, dialect: str | None
) -> tuple[Permitted, bool]:
    """Returns the condition, and whether it stays the same as long as the revision does."""
    name = resource_type or question.type_of(entity.names)
    answer = question.answer(name, node=mirror is not None)
    tree = for_rows_of(entity, answer["filter"], given, name)
    instant = time.time() if question.now is None else question.now
    dialects = DIALECTS if dialect is None else (dialect,)

    def make(tree: Any) -> Permitted:
        return _made(entity, tree, given, mirror, dialects, instant)

    filled = from_template(entity, tree, given, mirror, dialects, instant, make)
    if filled is None:
        return make(tree), False
    return filled, answer["context"].get("valid_until", "unknown") is None


class _Grants:
    """The conditions for nodes of direct grants. One condition serves all dialects."""

    def __init__(self, entity: Entity, given: Fields, mirror: Any, now: float):
        self.mirror = mirror
        self._entity, self._given, self._now = entity, given, now
        self._held: dict[DirectGrants, Held] = {}

    def held(self, dialect: str, node: DirectGrants) -> Held:
        """Returns the condition for a node. Raises QueryRefused if the dialect has none."""
        id = id_of(self._entity, self._given)
        check_id(id, dialect)
        if node not in self._held:
            self._held[node] = Held(self.mirror.alias(), id, node, self._now)
        return self._held[node]


def _made(entity: Entity, tree: Any, given: Fields, mirror: Any, dialects: tuple[str, ...], now: float) -> Permitted:
    """Returns the condition for some dialects. Raises the first refusal if none has one."""
    made: list[Filter] = []
    refusals: dict[str, Error] = {}
    grants = _Grants(entity, given, mirror, now)
    for spoken in dialects:
        try:
            made.append(_expression(entity, tree, given, grants, spoken))
        except Error as ex:
            refusals[spoken] = ex
    if not made:
        raise next(iter(refusals.values()))
    return Permitted.joined(entity.tables, entity.anchors(), made, refusals)


def _expression(entity: Entity, tree: Any, given: Fields, grants: _Grants, dialect: str) -> Filter:
    fields = fields_of(entity, tree, given, dialect)
    direct = None if grants.mirror is None else partial(grants.held, dialect)
    return expression(tree, fields, dialect, direct=direct)
