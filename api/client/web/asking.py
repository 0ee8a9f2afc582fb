"""Asks a decision point from a thread."""

from collections.abc import Sequence
from inspect import isawaitable, iscoroutine
from typing import Any, TypeVar

from ..bundles.errors import Error
from .answers import Refusal, permissions_in, refusal_after, refusal_in
from .points import BlockingSource, point_of

T = TypeVar("T")


def refusal(source: BlockingSource, request: dict[str, Any]) -> Refusal | None:
    """Returns why a request is refused, or None if it is allowed.

    Raises TypeError if the decision point needs an event loop.
    """
    try:
        return refusal_in(_at_once(point_of(source).decide(request)))
    except Error as ex:
        return refusal_after(ex)


def permissions(source: BlockingSource, requests: Sequence[dict[str, Any]]) -> list[bool]:
    """Returns which requests are allowed, asked in one batch.

    Raises Error if there is no answer, and TypeError if the decision point needs an event loop.
    """
    if not requests:
        return []
    return permissions_in(_at_once(point_of(source).decide_many(requests)), len(requests))


def found_filter(source: BlockingSource, request: dict[str, Any]) -> Any:
    """Returns the filter response to a resource search. Raises the errors of `permissions`, and BadRequest."""
    return _at_once(point_of(source).filter(request))


def _at_once(answer: T) -> T:
    if isawaitable(answer):
        if iscoroutine(answer):
            answer.close()
        raise TypeError("the decision point needs an event loop: use `writ.Client` in place of `writ.AsyncClient`")
    return answer
