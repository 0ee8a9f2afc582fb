"""A record of the decision log: its members, as one line of JSON."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Raw

from ....bundles.prepared import prepared
from .entry import MICROSECONDS, EntryKind

ENCODER: Final = msgspec.json.Encoder()


class Record(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, gc=False):
    """One record. `masked` and `cut` are there if they are true, `unreadable` if it names anything.

    `time` is the instant of the decision, in RFC 3339 and UTC. `answer` of a search has the number of its results in
    their place. `masked` says that masks changed the record. `masks` is the digest of the masks of the environment, and
    empty without any. `cut` says that a part is missing: the record was longer than the limit, or a credential was left
    out. `unreadable` is that of an entry: no caller can send it.
    """

    time: str
    decision_id: str
    environment: str | None
    revision: int
    kind: EntryKind
    request: Raw | None
    answer: Raw | None
    reason_code: str | None
    policy_id: str | None
    caller: str
    request_id: str | None
    trace_id: str | None
    duration_us: int
    masked: bool = False
    masks: str = ""
    cut: bool = False
    unreadable: tuple[str, ...] = ()


@prepared
class ReadRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The members of a record that a replay reads."""

    time: str
    kind: EntryKind
    environment: str | None
    request: Any
    answer: dict[str, Any] | None
    masked: bool = False
    masks: str = ""
    cut: bool = False
    unreadable: tuple[str, ...] = ()
    request_id: str | None = None


def time_text(instant: int) -> str:
    """Returns microseconds since 1970 in RFC 3339, always with six digits: so records sort as text.

    >>> time_text(1_500_000)
    '1970-01-01T00:00:01.500000Z'
    """
    second, rest = divmod(instant, MICROSECONDS)
    return f"{_second_text(second)}.{rest:06}Z"


@lru_cache(8)
def _second_text(second: int) -> str:
    """PERF: thousands of records are of one second."""
    return datetime.fromtimestamp(second, UTC).replace(tzinfo=None).isoformat()
