"""The line of a plain evaluation: what the request and the answer are, is copied as it is.

PERF: it takes a quarter of the time of a `Record`. `test_a_plain_line_is_that_of_its_record` proves that both agree.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from ...runtime import Engine
from .entry import MICROSECONDS, NANOSECONDS, Kind, Taken
from .record import ENCODER, time_text
from .rendering import TOLD, Rendering, one_line, shown_request_id, trace_id

MOST_REMEMBERED: Final = 1_024
"""Answers that a worker remembers. Most decisions of a policy have the same."""

LONGEST_REMEMBERED: Final = 1_024
"""Bytes of an answer that is remembered."""

_DIGITS: Final = len('.000000Z"')


class Ending(NamedTuple):
    """What follows an answer in its record, up to the request id, and whether the answer permits."""

    text: bytes
    permits: bool


class PlainLines:
    """Makes the lines of one worker."""

    def __init__(self, rendering: Rendering) -> None:
        self._rendering = rendering
        self._known: tuple[Engine | None, bytes, bool] = None, b"", False

    def line(self, taken: Taken, number: int) -> bytes | None:
        """Returns the line of an answer with this number, or None if another way has to make it.

        It is empty if the answer is a permission that is left out.
        """
        rendering = self._rendering
        engine, middle, is_masked = self._known
        if engine is not taken.engine:
            middle, is_masked = self._learn(taken.engine)
        if (
            is_masked
            or taken.kind is not Kind.EVALUATION
            or taken.cut
            or len(taken.request) + len(taken.answer) > rendering.most_bytes
        ):
            return None
        text, permits = ending_of(taken.answer, taken.asker.caller)
        if permits and not rendering.is_kept(permits):
            return b""
        moment, request_id, trace = taken.moment, taken.asker.request_id, taken.asker.trace
        second, rest = divmod(moment.instant, MICROSECONDS)
        shown_id = "null" if request_id is None else ENCODER.encode(shown_request_id(request_id)).decode()
        shown_trace = "null" if trace is None else ENCODER.encode(trace_id(trace)).decode()
        duration = (taken.ended - moment.began) // NANOSECONDS
        return b"".join(  # a format with as many places takes three times as long
            (
                _second(second),
                f'.{rest:06}Z","decision_id":"{rendering.process}{number:x}'.encode(),
                middle,
                one_line(taken.request),
                b',"answer":',
                taken.answer,
                text,
                f',"request_id":{shown_id},"trace_id":{shown_trace},"duration_us":{duration}}}'.encode(),
            )
        )

    def _learn(self, engine: Engine) -> tuple[bytes, bool]:
        """Returns what all lines of a pinned engine have, and whether masks are about its environment.

        PERF: it is remembered for one engine. Most answers follow one of the same environment and revision.
        """
        environment = engine.manifest.environment
        id = None if environment is None else environment.id
        middle = b'","environment":%b,"revision":%d,"kind":"evaluation","request":' % (
            ENCODER.encode(id),
            engine.revision,
        )
        is_masked = self._rendering.masks.are_for(id)
        self._known = engine, middle, is_masked
        return middle, is_masked


def ending_of(answer: bytes, caller: str) -> Ending:
    """Returns what follows an answer to a caller."""
    return _known_ending(answer, caller) if len(answer) <= LONGEST_REMEMBERED else _ending(answer, caller)


def _ending(answer: bytes, caller: str) -> Ending:
    told = TOLD.decode(answer)
    parts = tuple(map(ENCODER.encode, (told.context.reason_code, told.context.policy_id, caller)))
    return Ending(b',"reason_code":%b,"policy_id":%b,"caller":%b' % parts, told.decision is True)


_known_ending: Final = lru_cache(MOST_REMEMBERED)(_ending)


@lru_cache(8)
def _second(second: int) -> bytes:
    """Returns the beginning of a line, up to the second of its time."""
    return b'{"time":' + ENCODER.encode(time_text(second * MICROSECONDS))[:-_DIGITS]
