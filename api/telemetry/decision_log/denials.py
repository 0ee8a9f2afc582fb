"""Reads the newest denials of an environment back from a decision log, perhaps only those that a filter asks for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from ....bundles.conditions.instants import SECOND, parse_instant
from ....bundles.prepared import prepared
from ....runtime.rules.reasons import ReasonCode
from .entry import EntryKind
from .tail import MOST_TAIL_BYTES, newest_lines

_DENIAL: Final = b'"decision":false'
"""A record of a denial has these bytes, unless its answer is missing."""

_CUT: Final = b'"answer":null'
_NAMES: Final = ("id", "external_id", "name")
"""The members by which a request names an entity."""


_BEGINNING: Final = b'{"time":"'
"""A record begins with its time."""

_DISORDER: Final = 60 * SECOND
"""Workers write at the same time, so a record may stand behind a later one. More than this is not expected."""


class _Decided(Struct, frozen=True, gc=False):
    decision: bool | None = None


@prepared
class _ReadDenial(Struct, frozen=True, gc=False):
    """The members of a record that show whether it is a denial in an environment."""

    time: str
    decision_id: str
    environment: str | None
    kind: EntryKind
    answer: _Decided | None = None
    reason_code: str | None = None


class _Timed(Struct, frozen=True, gc=False):
    time: str


_TIMED: Final = msgspec.json.Decoder(_Timed)
_READ: Final = msgspec.json.Decoder(_ReadDenial)


class Denial(NamedTuple):
    """A record as it stands in the file. `at` is its time, in units of `bundles.conditions.instants`."""

    line: bytes
    id: str
    at: int
    reason: str | None


class DenialFilter(NamedTuple):
    """A choice of denials by what they have: None asks for nothing.

    `subject` and `resource` are an id, an external id or a name. `since` is the earliest
    instant, in the unit of `Denial.at`.
    """

    since: int | None = None
    subject: str | None = None
    action: str | None = None
    resource: str | None = None
    reason: str | None = None

    def has(self, denial: Denial) -> bool:
        """Returns whether a denial has what the filter asks for. What a mask has hidden, it has not."""
        if self.since is not None and denial.at < self.since:
            return False
        if self.reason is not None and denial.reason != self.reason:
            return False
        if self.subject is self.action is self.resource is None:
            return True
        request = msgspec.json.decode(denial.line).get("request")  # `_denial_in` has read this line
        asked = {"subject": self.subject, "action": self.action, "resource": self.resource}
        return all(wanted is None or _is_named(request, part, wanted) for part, wanted in asked.items())


EVERY_DENIAL: Final = DenialFilter()


def newest_denials(file: Path, environment: str, created: int) -> Iterator[Denial]:
    """Yields the denials in an environment that was `created` then, the newest first.

    Raises OSError.
    """
    for line in newest_lines(file):
        denial = _denial_in(line, environment, created)
        if denial is not None:
            yield denial


class DenialCounts(NamedTuple):
    """The denials of the last span of time, and of the one before it, which is None if the log does not know it whole.

    `known_since` is the time of the oldest record that was read back, or None without records. `is_cut` says that the
    file has earlier ones.
    """

    last: int
    before: int | None
    known_since: int | None
    is_cut: bool


def counted_denials(file: Path, environment: str, created: int, now: int, span: int) -> DenialCounts:
    """Returns how many denials an environment that was `created` then had in the `span` until now, and before it.

    Raises OSError.
    """
    is_cut = file.exists() and file.stat().st_size > MOST_TAIL_BYTES
    last, before, oldest, is_reached = 0, 0, b"", False
    for line in newest_lines(file):
        oldest = line if line.startswith(_BEGINNING) else oldest
        denial = _denial_in(line, environment, created)
        if denial is None:
            continue
        last += denial.at >= now - span
        before += now - 2 * span <= denial.at < now - span
        if denial.at < now - 2 * span - _DISORDER:
            is_reached = True
            break
    known = _time_of(oldest)
    is_whole = is_reached or (known is not None and known <= now - 2 * span)
    return DenialCounts(last, before if is_whole else None, known, is_cut)


def _time_of(line: bytes) -> int | None:
    try:
        return parse_instant(_TIMED.decode(line).time)
    except (ValueError, RecursionError):
        return None


def _is_named(request: Any, part: str, wanted: str) -> bool:
    entity = request.get(part) if isinstance(request, dict) else None
    return isinstance(entity, dict) and any(entity.get(name) == wanted for name in _NAMES)


def _denial_in(line: bytes, environment: str, created: int) -> Denial | None:
    """Returns a record if it is a denial in an environment that was `created` then, or None.

    PERF: most records are permissions, and are not decoded.
    """
    if _DENIAL not in line and _CUT not in line:
        return None
    try:
        line.decode()  # the records go out as they are
        read = _READ.decode(line)
        at = parse_instant(read.time)
    except (ValueError, RecursionError):  # no record, such as a line of another program
        return None
    if read.environment != environment or at < created or not _is_denial(read):
        return None
    return Denial(line, read.decision_id, at, read.reason_code)


def _is_denial(read: _ReadDenial) -> bool:
    if read.kind is EntryKind.SEARCH:
        return False
    if read.answer is not None:
        return read.answer.decision is False
    return read.reason_code not in (None, ReasonCode.ALLOWED)
