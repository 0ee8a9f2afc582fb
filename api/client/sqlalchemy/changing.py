"""`changing`: a block whose flushed rows are asked about as they were and as they will be, in one transaction."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from ..queries.questions import Question
from ..queries.refusal import ChangeRefused
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
    where the database can. Statements such as `update()` flush nothing: use `authorized` for them.

    Raises ChangeRefused if an answer is no, and the errors of the decision point. Then roll the session back.
    """
    question = Question(pdp, subject, action, context)
    checks = _Checks(question, {"create": create or action, "update": action, "delete": delete or action})
    session.flush()  # what the application changed before the block
    sa.event.listen(session, "before_flush", checks.before)
    sa.event.listen(session, "after_flush", checks.after)
    try:
        yield
        session.flush()
    finally:
        sa.event.remove(session, "before_flush", checks.before)
        sa.event.remove(session, "after_flush", checks.after)


class _Checks:
    """The questions of one block."""

    def __init__(self, question: Question, actions: Mapping[str, str]):
        self._question, self._actions = question, actions
        self._later: list[tuple[str, Any]] = []

    def before(self, session: orm.Session, *_: Any) -> None:
        changed = [("update", one) for one in session.dirty if session.is_modified(one)]
        self._later = changed + [("create", one) for one in session.new]
        for kind, one in changed + [("delete", one) for one in session.deleted]:
            self._ask(session, kind, one, sa.inspect(one).identity)

    def after(self, session: orm.Session, *_: Any) -> None:
        for kind, one in self._later:
            self._ask(session, kind, one, sa.inspect(one).mapper.primary_key_from_instance(one))

    def _ask(self, session: orm.Session, kind: str, row: Any, key: Any) -> None:
        """Asks about the row with this key, read by a session beside this one: the row itself may be changed."""
        entity = entity_of(type(row))
        if not is_declared(entity, self._question):
            return
        name, action = self._question.type_of(entity.names), self._actions[kind]
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
