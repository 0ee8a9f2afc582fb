"""`aauthorized` and `apermitted`: the same for a client of asyncio, which has to be awaited."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from ..queries.awaited import with_answers
from .conditions import permitted
from .statements import Statement, authorized


async def aauthorized(
    statement: Statement, client: Any, subject: Mapping[str, Any], action: str | Mapping[str, Any], **options: Any
) -> Statement:
    """Returns what `authorized` returns, from the answers of an asynchronous client such as `writ.AsyncClient`.

    `options` are the other parameters of `authorized`. Raises what it raises, and what the client raises.
    """
    return await with_answers(lambda answers: authorized(statement, answers, subject, action, **options), client)


async def apermitted(
    entity: Any, client: Any, subject: Mapping[str, Any], action: str | Mapping[str, Any], **options: Any
) -> sa.ColumnElement[bool]:
    """Returns what `permitted` returns, from the answers of an asynchronous client such as `writ.AsyncClient`.

    `options` are the other parameters of `permitted`. Raises what it raises, and what the client raises.
    """
    return await with_answers(lambda answers: permitted(entity, answers, subject, action, **options), client)
