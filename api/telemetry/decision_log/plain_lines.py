"""The line of a plain evaluation: what the request and the answer are, is copied as it is, or masked.

PERF: it takes a tenth of the time of a `Record`, since what many lines share is made once: their beginning up to the
request, and what follows it with an answer that came before. `test_a_plain_line_is_that_of_its_record` proves that both
agree.
"""

from typing import Final, NamedTuple

from ....runtime import Engine
from .entry import NANOSECONDS, EntryKind, Taken
from .masks import EnvironmentMasks
from .record import ENCODER, time_text
from .rendering import MOST_REQUEST_ID, TOLD, Rendering, bare, one_line, shown_request_id, trace_id

MOST_REMEMBERED: Final = 1_024
"""Answers, each to a caller, that a worker remembers. Most decisions of a policy have the same."""

LONGEST_REMEMBERED: Final = 1_024
"""Bytes of an answer that is remembered."""

LONGEST_MASKED: Final = 1_024
MOST_MASKS: Final = 8
"""Bytes of a request that is masked here, and the masks of its environment. With more, the writer makes the record, so
that the event loop does not wait for it."""

_EVALUATION: Final = EntryKind.EVALUATION  # PERF: to find a member of an enumeration takes as long as a call
_LINE_FEED, _RETURN = b"\n\r"
_DIGITS: Final = len('000Z"')
_ERROR: Final = b'"error"'
_THOUSAND: Final = 1_000
_UNITS: Final = tuple(b'%03dZ","decision_id":"' % number for number in range(_THOUSAND))
_TOOK: Final = tuple(b"%d}\n" % number for number in range(_THOUSAND))
"""PERF: to format a number takes longer than to look its digits up, with what follows them in a line."""

_NO_TRACE: Final = b'","trace_id":null,"duration_us":'
_TRACE: Final = b',"trace_id":%b,"duration_us":'
_MASKS: Final = b'%%d,"masks":"%b"}\n'
_MASKED: Final = b'%%d,"masked":true,"masks":"%b"}\n'


class Ending(NamedTuple):
    """The text that follows the request in a line, up to the request's id in quotes, and whether the answer permits."""

    text: bytes
    permits: bool


class Endings:
    """The endings of answers to callers. `hides` says that the answers are those of masked records."""

    def __init__(self, hides: bool) -> None:
        self._hides = hides
        self._known: dict[str, dict[bytes, Ending]] = {}
        self._count = 0

    def of(self, answer: bytes, caller: str) -> Ending:
        """Returns what follows the request."""
        try:
            return self._known[caller][answer]
        except KeyError:
            return self._learnt(answer, caller)

    def _learnt(self, answer: bytes, caller: str) -> Ending:
        told = TOLD.decode(answer)
        shown = bare(answer) if self._hides else answer
        parts = tuple(map(ENCODER.encode, (told.context.reason_code, told.context.policy_id, caller)))
        text = b',"answer":%b,"reason_code":%b,"policy_id":%b,"caller":%b,"request_id":"' % (shown, *parts)
        found = Ending(text, told.decision is True)
        if len(answer) <= LONGEST_REMEMBERED:
            if self._count == MOST_REMEMBERED:
                self._known.clear()
                self._count = 0
            self._known.setdefault(caller, {})[answer] = found
            self._count += 1
        return found


class PlainLines:
    """Makes the lines of one worker."""

    def __init__(self, rendering: Rendering) -> None:
        self._rendering = rendering
        self._most_bytes, self._keeps_all = rendering.most_bytes, rendering.permits >= 1.0
        self._plain, self._masked = Endings(hides=False), Endings(hides=True)
        self._engine: Engine | None = None
        self._masks: EnvironmentMasks | None = None
        self._millisecond = -_THOUSAND
        self._middle = self._start = self._masked_end = self._masks_end = b""

    def line(self, taken: Taken) -> bytes | None:
        """Returns the line of an answer, with its end, or None if another way has to make it.

        It is empty if the answer is a permission that is left out.
        """
        if taken.engine is not self._engine:
            self._learn(taken.engine)
        request, answer = taken.request, taken.answer
        if taken.kind is not _EVALUATION or taken.cut or taken.unreadable:
            return None
        if len(request) + len(answer) > self._most_bytes:
            return None
        endings, took = self._plain, None
        duration = taken.duration // NANOSECONDS
        if self._masks is not None:
            if len(request) > LONGEST_MASKED or len(self._masks) > MOST_MASKS or _ERROR in answer:
                return None
            masked, is_masked = self._masks.applied(request)
            if masked is None:
                return None
            request = masked
            if is_masked:
                endings, took = self._masked, self._masked_end % duration
            else:
                took = self._masks_end % duration
        text, permits = endings.of(answer, taken.caller)
        if permits and not (self._keeps_all or self._rendering.is_kept(permits)):
            return b""
        if took is None:
            took = _TOOK[duration] if 0 <= duration < _THOUSAND else b"%d}\n" % duration
        if _LINE_FEED in request or _RETURN in request:
            request = one_line(request)
        id, after = taken.request_id, _NO_TRACE
        if id is None or taken.trace is not None or len(id) > MOST_REQUEST_ID or not id.isalnum():
            text, id, after = text[:-1], _shown(id), _TRACE % ENCODER.encode(trace_id(taken.trace))
        moment = taken.moment
        microseconds = moment.instant - self._millisecond
        if not 0 <= microseconds < _THOUSAND:
            microseconds = self._begin_millisecond(moment.instant)
        units = _UNITS[microseconds]
        # PERF: up to ten pieces, `join` needs no memory beside the line.
        return b"".join((self._start, units, moment.id, self._middle, request, text, id, after, took))

    def _learn(self, engine: Engine) -> None:
        """Remember what all lines of a pinned engine have.

        PERF: it is remembered for one engine. Most answers follow one of the same environment and revision.
        """
        environment = engine.manifest.environment
        id = None if environment is None else environment.id
        self._middle = b'","environment":%b,"revision":%d,"kind":"evaluation","request":' % (
            ENCODER.encode(id),
            engine.revision,
        )
        self._masks = self._rendering.masks.of(id)
        digest = b"" if self._masks is None else self._masks.digest.encode()
        self._masked_end, self._masks_end = _MASKED % digest, _MASKS % digest
        self._engine = engine

    def _begin_millisecond(self, instant: int) -> int:
        """Make the beginning of the lines of a millisecond. Returns the microseconds of an instant in it."""
        microseconds = instant % _THOUSAND
        self._millisecond = instant - microseconds
        self._start = b'{"time":' + ENCODER.encode(time_text(instant))[:-_DIGITS]
        return microseconds


def _shown(request_id: bytes | None) -> bytes:
    return ENCODER.encode(None if request_id is None else shown_request_id(request_id))
