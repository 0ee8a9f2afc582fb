"""The conditions of subjects that asked before. Each is kept as long as the revision is in force that it came from."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final
from weakref import WeakKeyDictionary

from ..queries.questions import Question
from ..runtime.engine import Engine
from .entities import Entity
from .permitted import Permitted

MOST_REMEMBERED: Final = 10_000
"""The conditions that a process keeps for a revision. Then it forgets them all."""

Make = Callable[[Question], tuple[Permitted, bool]]
"""Makes the condition for a question. It also says whether the same question has the same one later."""

_of_revisions: WeakKeyDictionary[Engine, dict[tuple[Any, ...], Permitted]] = WeakKeyDictionary()


def remembered_for(
    question: Question, entity: Entity, resource_type: str | None, dialect: str | None, make: Make
) -> Permitted:
    """Returns the condition for a question, which an engine answers once for each revision if it may.

    That is so for a subject and an action without properties or context, at any time.
    """
    asked = _key(question, entity, resource_type, dialect)
    if asked is None:
        return make(question)[0]
    pinned = question.engine.held()
    known = _of_revisions.setdefault(pinned, {})
    if asked in known:
        return known[asked]
    found, stays = make(replace(question, engine=pinned))
    if stays:
        if len(known) >= MOST_REMEMBERED:
            known.clear()
        known[asked] = found
    return found


def _key(question: Question, entity: Entity, resource_type: str | None, dialect: str | None) -> tuple[Any, ...] | None:
    subject, action = question.subject, question.action
    if question.context or question.actor is not None or question.now is not None:
        return None
    if not (
        isinstance(question.engine, Engine) and type(subject) is dict and len(subject) == 2 and type(action) is str
    ):
        return None
    named = subject.get("type"), subject.get("id")
    if not (type(named[0]) is str is type(named[1])):
        return None
    return entity.named, resource_type, dialect, action, *named
