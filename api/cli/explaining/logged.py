"""Finds a decision in a decision log, to explain it."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ....bundles.conditions.instants import parse_instant
from ...review.replaying.replayed_record import request_in
from ...telemetry.decision_log.entry import MICROSECONDS, NANOSECONDS, EntryKind
from ...telemetry.decision_log.record import ReadRecord
from ..output import CommandFailed

_ZIPPED = b"\x1f\x8b"


class LoggedQuestion(NamedTuple):
    """A question as a decision log has it. `now` is the instant of its decision, in epoch seconds."""

    request: dict[str, Any]
    now: float
    environment: str | None


def logged_question(log: Path, id: str) -> LoggedQuestion:
    """Returns the question of the record with a decision id. The log may be compressed by gzip.

    Raises CommandFailed if there is no such record, or if it has not the whole question of an evaluation, and OSError
    for a log that can't be read.
    """
    record = _record(log, id)
    if record.kind is EntryKind.SEARCH:
        raise CommandFailed(f"`{id}` is a search, and only evaluations can be explained")
    if record.masked or record.cut or not isinstance(record.request, dict):
        raise CommandFailed(f"the record of `{id}` lacks a part of its request: masks or limits of the log left it out")
    now = parse_instant(record.time) // NANOSECONDS / MICROSECONDS
    return LoggedQuestion(request_in(record), now, record.environment)


def _record(log: Path, id: str) -> ReadRecord:
    item = None
    try:
        for line in _lines_with(log, b'"decision_id":%b' % msgspec.json.encode(id)[:-1]):  # an item has more behind it
            found = msgspec.json.decode(line)["decision_id"]
            if found == id:
                return msgspec.json.decode(line, type=ReadRecord)
            item = item or (found if str(found).startswith(f"{id}.") else None)
    except (EOFError, msgspec.MsgspecError, TypeError, KeyError) as ex:
        raise CommandFailed(f"`{log}` is no whole decision log: {ex}") from None
    if item is not None:
        raise CommandFailed(f"`{id}` is a batch: give the id of one of its items, such as `{item}`")
    raise CommandFailed(f"`{log}` has no record with the decision id `{id}`; older files of the log may have it")


def _lines_with(log: Path, marked: bytes) -> Iterator[bytes]:
    with log.open("rb") as raw:
        is_zipped = raw.read(len(_ZIPPED)) == _ZIPPED
    with gzip.open(log) if is_zipped else log.open("rb") as lines:
        yield from (line for line in lines if marked in line)
