"""Asks a decision point from an event loop, without holding it up."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable, iscoroutinefunction
from typing import Any, TypeVar

from ..bundles.errors import Error
from ..decision_log.logged_engine import LoggedEngine
from ..runtime.engine import Engine
from .answers import Refusal, permissions_in, refusal_after, refusal_in
from .points import AnySource, point_of

T = TypeVar("T")


async def settled(value: T | Awaitable[T]) -> T:
    """Returns what a function returned, or what its coroutine returns."""
    return await value if isawaitable(value) else value


async def refusal(source: AnySource, request: dict[str, Any]) -> Refusal | None:
    """Returns why a request is refused, or None if it is allowed."""
    try:
        point = point_of(source)
        return refusal_in(await _asked(point, point.decide, request))
    except Error as ex:
        return refusal_after(ex)


async def permissions(source: AnySource, requests: Sequence[dict[str, Any]]) -> list[bool]:
    """Returns which requests are allowed, asked in one batch. Raises Error if there is no answer."""
    if not requests:
        return []
    point = point_of(source)
    return permissions_in(await _asked(point, point.decide_many, requests), len(requests))


async def found_filter(source: AnySource, request: dict[str, Any]) -> Any:
    """Returns the filter response to a resource search. Raises Error if there is none."""
    point = point_of(source)
    return await _asked(point, point.filter, request)


async def _asked(point: Any, ask: Callable[[Any], Any], request: Any) -> Any:
    """Returns an answer. An engine gives it in microseconds; another point that blocks is asked in a thread."""
    if isinstance(point, Engine | LoggedEngine) or iscoroutinefunction(ask):
        return await settled(ask(request))
    return await settled(await asyncio.to_thread(ask, request))
