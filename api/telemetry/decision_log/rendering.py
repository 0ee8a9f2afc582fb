"""Makes the records of an entry: one for a call, or one for each item of a batch. It runs in the writer's thread.

PERF: a record holds the bytes of the request and of the answer as they came and went, unless a mask applies.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Raw

from ....bundles.prepared import prepared
from .entry import Entry, EntryKind
from .masks import EnvironmentMasks, Masks
from .record import ENCODER, Record, time_text

DEFAULT_RECORD_BYTES: Final = 2**20
"""The most bytes of a record's request and answer together. A longer record goes without both."""

BATCH_RECORD_BYTES: Final = 16 * 2**20
"""The most bytes of the requests and answers of one batch. Defaults count in each item, so a small body could else fill
a disk."""

MOST_REQUEST_ID: Final = 200
"""The characters of a request id that are kept."""

_DROPPED_TOKEN: Final = "next_token"  # noqa: S105 - a name
_LINE_FEED, _RETURN = b"\n\r"
_TRACE_LENGTH: Final = 55
_TRACE_ID: Final = slice(3, 35)
_HEXADECIMAL: Final = frozenset(b"0123456789abcdef")


class RecordedContext(msgspec.Struct, frozen=True, gc=False):
    """The recorded members of an answer's context."""

    reason_code: str | None = None
    policy_id: str | None = None
    error: dict[str, Any] | None = None


@prepared
class RecordedAnswer(msgspec.Struct, frozen=True, gc=False):
    """The recorded facts about an answer, beside the answer."""

    decision: bool | None = None
    context: RecordedContext = RecordedContext()


@prepared
class _Batch(msgspec.Struct, frozen=True):
    evaluations: list[Raw]


TOLD: Final = msgspec.json.Decoder(RecordedAnswer)
_BATCH: Final = msgspec.json.Decoder(_Batch)
_DECODER: Final = msgspec.json.Decoder()
_KEPT_OF_CONTEXT: Final = (
    "reason_code",
    "access_path",
    "policy_id",
    "denied_by",
    "denied_for",
    "valid_until",
    "access_paths",
)
"""The members of a masked record's answer that stay: they can't carry a value of the request.

Sentences and proofs can.
"""

_PARTS: Final = ("subject", "action", "resource", "context", "options")


class Rendering(NamedTuple):
    """The options for making records.

    `merge` returns an item of a batch with the batch's defaults.
    `permits` is the share of permissions that is kept, from 0 to 1, and `chance` gives numbers from 0 to 1 to choose
    by. `most_bytes` bounds the request and the answer of a record.
    """

    merge: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]
    masks: Masks = Masks()
    permits: float = 1.0
    most_bytes: int = DEFAULT_RECORD_BYTES
    chance: Callable[[], float] = random.random

    def records(self, entry: Entry) -> Iterator[Record]:
        """Yields the records of an entry. Denials, errors and searches are all kept."""
        if entry.kind is EntryKind.ITEM:
            yield from self._items(entry)
            return
        told = TOLD.decode(entry.answer)
        if self.is_kept(told.decision is True):
            answer = entry.answer if entry.kind is EntryKind.EVALUATION else summary(entry.answer)
            yield self._record(entry, entry.request, answer, told, "")

    def _items(self, entry: Entry) -> Iterator[Record]:
        """Yields a record for each item that was answered. A batch may end early (authzen.md 35)."""
        body = _DECODER.decode(entry.request)
        defaults = {part: body[part] for part in _PARTS if body.get(part) is not None}
        left = BATCH_RECORD_BYTES
        for place, (item, answer) in enumerate(
            zip(body["evaluations"], _BATCH.decode(entry.answer).evaluations, strict=False)
        ):
            told = TOLD.decode(answer)
            if not self.is_kept(told.decision is True):
                continue
            request = ENCODER.encode(self.merge(defaults, item) if isinstance(item, dict) else item)
            left -= len(request) + len(memoryview(answer))
            yield self._record(entry, request, bytes(answer), told, f".{place}", is_over=left < 0)

    def is_kept(self, permits: bool) -> bool:
        """Returns whether an answer is kept: it may be one of the permissions that are left out."""
        return not permits or self.permits >= 1.0 or self.chance() < self.permits

    def _record(
        self, entry: Entry, request: bytes, answer: bytes, told: RecordedAnswer, suffix: str, is_over: bool = False
    ) -> Record:
        shown: bytes | None = request
        masked, cut = False, entry.cut
        masks = self.masks.of(entry.environment)
        if masks is not None:
            shown, masked = _masked(masks, request, told)
            masked = masked or entry.kind is EntryKind.SEARCH  # its filter may have values of the request, or ids
            answer = bare(answer) if masked else answer
        if is_over or len(request) + len(answer) > self.most_bytes:
            shown, cut = None, True
        return Record(
            time=time_text(entry.instant),
            decision_id=f"{entry.id.decode()}{suffix}",
            environment=entry.environment,
            revision=entry.revision,
            kind=entry.kind,
            request=None if shown is None else Raw(one_line(shown)),
            answer=None if shown is None and cut else Raw(answer),
            reason_code=told.context.reason_code,
            policy_id=told.context.policy_id,
            caller=entry.caller,
            request_id=None if entry.request_id is None else shown_request_id(entry.request_id),
            trace_id=trace_id(entry.trace),
            duration_us=entry.duration,
            masked=masked,
            masks="" if masks is None else masks.digest,
            cut=cut,
            unreadable=entry.unreadable,
        )


def _masked(masks: EnvironmentMasks, request: bytes, told: RecordedAnswer) -> tuple[bytes | None, bool]:
    """Returns the request with its masks, and whether it has any.

    An item that could not be read goes without its request: masks may not find what they look for in it.
    """
    if told.context.error is not None:
        return None, True
    return masks.applied(request)


def one_line(request: bytes) -> bytes:
    """Returns JSON in one line. A line end in JSON is never within a string."""
    if _LINE_FEED in request or _RETURN in request:  # PERF: to look for a number is ten times as fast as for bytes
        return request.replace(b"\r", b" ").replace(b"\n", b" ")
    return request


def summary(answer: bytes) -> bytes:
    """Returns a search's answer with the number of its results, and without the token of the next page.

    >>> summary(b'{"page":{"next_token":"x","count":1},"results":[{"type":"a"}]}')
    b'{"page":{"count":1},"results":1}'
    """
    found = _DECODER.decode(answer)
    if "results" not in found:
        return answer
    if "page" in found:
        found["page"].pop(_DROPPED_TOKEN, None)
    return ENCODER.encode(found | {"results": len(found["results"])})


def bare(answer: bytes) -> bytes:
    """Returns an answer without what may quote the request: reasons, errors, proofs and filters.

    >>> bare(b'{"decision":true,"context":{"reason_code":"ALLOWED","reason":"`x`"}}')
    b'{"decision":true,"context":{"reason_code":"ALLOWED"}}'
    """
    found = _DECODER.decode(answer)
    found.pop("filter", None)
    context = found.get("context", {})
    found["context"] = {name: context[name] for name in _KEPT_OF_CONTEXT if name in context}
    return ENCODER.encode(found)


def trace_id(header: bytes | None) -> str | None:
    """Returns the trace id of a `traceparent` header (W3C Trace Context), or None if it has none.

    >>> trace_id(b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    '4bf92f3577b34da6a3ce929d0e0e4736'
    """
    if header is None or len(header) < _TRACE_LENGTH or header[2:3] != b"-" or header[35:36] != b"-":
        return None
    found = header[_TRACE_ID]
    return found.decode() if _HEXADECIMAL.issuperset(found) and found.strip(b"0") else None


def shown_request_id(value: bytes) -> str:
    """Returns the value of a header with the id of a request, up to `MOST_REQUEST_ID` characters."""
    return value.decode("latin-1")[:MOST_REQUEST_ID]
