"""`changing`: a block whose flushed rows are asked about as they were and as they will be, in one transaction."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy import orm

from ..queries.questions import Question
from ..queries.refusal import ChangeRefused, QueryRefused
from .entities import entity_of, is_declared
from .resources import resource_of


@contextmanager
def changing(
    session: orm.Session,
    pdp: Any,
    subject: Mapping[str, Any],
    action: str,
    *,
    create: str | None = None,
    delete: str | None = None,
    context: Mapping[str, Any] | None = None,
) -> Iterator[None]:
    """Asks about each row of a declared type that the session flushes in the block, and flushes at its end.

    Before a flush, Writ is asked about changed and deleted rows as they are stored, and after it about changed and new
    rows as they are then. So a subject can't give a row values by which it may not act on it, such as another tenant.
    `create` and `delete` are the actions for new and deleted rows, or else `action` is. The stored rows are locked
    where the database can. A row that the flush itself changes or deletes, such as by a relationship of another row, is
    asked about, too. Statements such as `update()` flush nothing, nor do the `bulk_…` methods of a session: use
    `authorized` for a statement, and no bulk method.

    Raises ChangeRefused if an answer is no, and the errors of the decision point. Raises QueryRefused if a relationship
    with `post_update` changes a row that the session did not. Then roll the session back.
    """
    question = Question(pdp, subject, action, context)
    checks = _Checks(question, {"create": create or action, "update": action, "delete": delete or action})
    session.flush()  # what the application changed before the block
    sa.event.listen(session, "before_flush", checks.before)
    sa.event.listen(session, "after_flush", checks.after)
    _listen()
    blocks = _blocks.setdefault(session, [])
    blocks.append(checks)
    try:
        yield
        session.flush()
    finally:
        blocks.remove(checks)
        sa.event.remove(session, "before_flush", checks.before)
        sa.event.remove(session, "after_flush", checks.after)


@cache
def _listen() -> None:
    """Listens to the changes of rows in the flushes of all sessions. Only those with a block do anything."""
    for event, kind in (("before_insert", "create"), ("before_update", "update"), ("before_delete", "delete")):
        sa.event.listen(orm.Mapper, event, _heard(kind))


def _heard(kind: str) -> Callable[[Any, Any, Any], None]:
    def hear(_mapper: Any, _connection: Any, row: Any) -> None:
        session = orm.object_session(row)
        if session is not None:
            for checks in _blocks.get(session, ()):
                checks.during(session, kind, row)

    return hear


class _Checks:
    """The questions of one block."""

    def __init__(self, question: Question, actions: Mapping[str, str]):
        self._question, self._actions = question, actions
        self._later: list[tuple[str, Any]] = []
        self._seen: set[Any] = set()

    def before(self, session: orm.Session, *_: Any) -> None:
        """Asks about the rows that the session changed or deleted, as they are stored."""
        changed = [("update", one) for one in session.dirty if session.is_modified(one)]
        self._later = changed + [("create", one) for one in session.new]
        self._seen = {sa.inspect(one) for _, one in self._later} | {sa.inspect(one) for one in session.deleted}
        for kind, one in changed + [("delete", one) for one in session.deleted]:
            self._ask(session, kind, one, sa.inspect(one).identity)

    def during(self, session: orm.Session, kind: str, row: Any) -> None:
        """Asks about a row that the flush itself came to, or another listener. It is still as it was stored."""
        state = sa.inspect(row)
        if state in self._seen or (kind == "update" and not session.is_modified(row, include_collections=False)):
            return
        self._seen.add(state)
        if kind != "create":
            self._ask(session, kind, row, state.identity)
        if kind != "delete":
            self._later.append((kind, row))

    def after(self, session: orm.Session, flushed: Any) -> None:
        """Asks about the new and changed rows."""
        for states, _ in flushed.post_update_states.values():
            for row in (state.obj() for state in states if state not in self._seen):
                if row is not None and is_declared(entity_of(type(row)), self._question):
                    reason = f"a relationship with `post_update` changes a row of `{type(row).__name__}`"
                    raise QueryRefused(reason, "set the attribute of that row itself")
        for kind, one in self._later:
            self._ask(session, kind, one, sa.inspect(one).mapper.primary_key_from_instance(one))

    def _names(self, row: Any) -> tuple[str, ...]:
        """Returns the names of the type of a row: of its class, or of the nearest one above that the model declares."""
        line = [entity_of(one.class_).names for one in sa.inspect(row).mapper.iterate_to_root()]
        return next((names for names in line if self._question.declared(names)), line[0])

    def _ask(self, session: orm.Session, kind: str, row: Any, key: Any) -> None:
        """Asks about the row with this key, read by a session beside this one: the row itself may be changed."""
        entity = entity_of(type(row))
        if not is_declared(entity, self._question):
            return
        name, action = self._question.type_of(self._names(row)), self._actions[kind]
        bind = session.connection(bind_arguments={"mapper": sa.inspect(row).mapper})
        with orm.Session(bind, join_transaction_mode="rollback_only", autoflush=False) as beside:
            stored = beside.get(type(row), tuple(key), with_for_update=kind != "create" or None)
            if stored is None:
                return
            asked = resource_of(stored, name, self._question.engine)
        question = self._question
        request = {"subject": dict(question.subject), "action": {"name": action}, "resource": asked}
        answer = question.engine.decide(request | {"context": dict(question.context or {})})
        if answer["decision"] is not True:
            raise ChangeRefused(name, asked["id"], action, answer)


_blocks: "WeakKeyDictionary[orm.Session, list[_Checks]]" = WeakKeyDictionary()
