"""The line of a plain evaluation, made at once: what the request and the answer are, is copied as it is.

PERF: it takes 2 µs, a quarter of a `Record`. A thread that made these lines would cost more than twice as much: it and
the event loop would take the interpreter from each other. `test_a_plain_line_is_that_of_its_record` proves that both
ways agree.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from .entry import Entry, Kind
from .record import ENCODER, MICROSECONDS, time_text
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


def at_once(rendering: Rendering, entry: Entry) -> Entry | bytes | None:
    """Returns the line of an entry if it is quick to make, or else the entry. None: the answer is left out."""
    if (
        entry.kind is not Kind.EVALUATION
        or entry.cut
        or rendering.masks.are_for(entry.environment)
        or len(entry.request) + len(entry.answer) > rendering.most_bytes
    ):
        return entry
    ending = ending_of(entry.answer, entry.caller)
    return plain_line(entry, rendering.process, ending) if rendering.is_kept(ending.permits) else None


def plain_line(entry: Entry, process: str, ending: Ending) -> bytes:
    """Returns the line of an evaluation, which no mask is about. `process` begins decision ids."""
    second, rest = divmod(entry.instant, MICROSECONDS)
    request_id, trace = entry.request_id, entry.trace
    shown_id = "null" if request_id is None else ENCODER.encode(shown_request_id(request_id)).decode()
    shown_trace = "null" if trace is None else ENCODER.encode(trace_id(trace)).decode()
    return b"".join(  # a format with as many places takes three times as long
        (
            _second(second),
            f'.{rest:06}Z","decision_id":"{process}{entry.number:x}'.encode(),
            _middle(entry.environment, entry.revision),
            one_line(entry.request),
            b',"answer":',
            entry.answer,
            ending.text,
            f',"request_id":{shown_id},"trace_id":{shown_trace},"duration_us":{entry.duration}}}'.encode(),
        )
    )


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


@lru_cache(64)
def _middle(environment: str | None, revision: int) -> bytes:
    shown = ENCODER.encode(environment)
    return b'","environment":%b,"revision":%d,"kind":"evaluation","request":' % (shown, revision)
