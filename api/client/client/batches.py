"""The question about many decisions: `decide_many`, in as few calls as the limits of the decision point allow."""

from collections.abc import Iterable
from typing import Any, Final

from ..runtime.requests.error_items import error_item
from ..runtime.requests.members import BadRequest
from ..runtime.requests.unavailable import SearchUnavailable
from .asking import Asking
from .calling.answers import checked_decision, code_of, decision_of, object_of
from .calling.bodies import encoded
from .calling.errors import BadAnswer, Refused
from .calling.steps import Answer, Steps

MOST_ITEMS: Final = 1_000
"""The most items in one call. If the decision point takes fewer, the client finds out."""

_TOO_MANY: Final = "too-many-items"
_IN_PARTS: Final = frozenset({400, 413})  # an item may be at fault, such as one that nests too deep

_FOR_OTHERS: Final = b'"context":{},'
"""Cerbos refuses a batch in which neither an item nor the default has a context. An empty default says the same."""

Items = list[dict[str, Any]]


class Batches(Asking):
    """Questions about many decisions."""

    _most = MOST_ITEMS

    def decide_many(self, requests: Iterable[Any]) -> Steps[Items]:
        """Returns a response for each request, in order. A malformed request gets an error item (W4).

        Raises CallFailed if there is no answer to one of the calls that it takes. The time limit is for each.
        """
        found = [_written(one) for one in requests]
        waiting = [(place, one) for place, one in enumerate(found) if isinstance(one, bytes)]
        size = self._most
        while waiting:
            answers = yield from self._decided([content for _, content in waiting[: min(size, self._most)]])
            for (place, _), answer in zip(waiting, answers, strict=False):
                found[place] = answer
            waiting, size = waiting[len(answers) :], 2 * len(answers)
        return [one for one in found if not isinstance(one, bytes)]

    def _decided(self, requests: list[bytes]) -> Steps[Items]:
        """Returns the answers to the first requests: to all of them, or to as many as the decision point takes."""
        endpoints, deadline = yield from self._begin()
        if endpoints.evaluations is None or len(requests) == 1:
            return [(yield from self._single(endpoints.evaluation, requests[0], deadline))]
        defaults = _FOR_OTHERS if endpoints.filter is None else b""
        content = b'{%b"evaluations":[%b]}' % (defaults, b",".join(requests))
        answer = yield from self._posted(endpoints.evaluations, content, deadline)
        if answer.status not in _IN_PARTS:
            return _items(answer, len(requests))
        half = len(requests) // 2
        if code_of(answer) == _TOO_MANY:
            self._most = half  # the limit is the same for all batches
        return (yield from self._decided(requests[:half]))

    def _single(self, url: str, request: bytes, deadline: float) -> Steps[dict[str, Any]]:
        """Returns the answer to a request that is asked alone. Its own fault is an error item, as in a batch."""
        answer = yield from self._posted(url, request, deadline)
        try:
            return decision_of(answer)
        except BadRequest as ex:
            return error_item(400, str(ex), ex.strict_faults)
        except SearchUnavailable as ex:
            return error_item(501, str(ex))
        except Refused as ex:
            if ex.status != 413:
                raise
            return error_item(413, str(ex))


def _written(request: Any) -> bytes | dict[str, Any]:
    """Returns a request as JSON, or the error item of one that can't be sent."""
    if not isinstance(request, dict):
        return error_item(400, str(BadRequest("a request is an object", "$")))
    try:
        return encoded(request)
    except BadRequest as ex:
        return error_item(400, str(ex))


def _items(answer: Answer, expected: int) -> Items:
    """Returns the decisions of a batch. Raises BadAnswer if there is not one for each item."""
    found = object_of(answer).get("evaluations")
    if not isinstance(found, list) or len(found) != expected:
        raise BadAnswer(f"the answer to a batch of {expected} has not as many decisions")
    return [checked_decision(one) for one in found]
