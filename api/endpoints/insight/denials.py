"""The newest denials in the decision log: `/v1/environments/{env}/denials`."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, Literal

import falcon.asgi
import msgspec
from msgspec import Struct

from ....bundles.conditions.instants import parse_instant
from ....bundles.prepared import prepared
from ....runtime.rules.reasons import ReasonCode
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Instant, Operation
from ...http.openapi.vocabulary import PAGE
from ...http.queries import known_parameters, page_limit
from ...settings.settings import HttpLimits
from ...store.environment_ids import Bounds
from ...store.environments import Environment
from ...store.errors import BadQuery, Conflict
from ...store.pages import cursor_after, read_cursor
from ...telemetry.decision_log.decision_log import Log
from ...telemetry.decision_log.entry import EntryKind
from ...telemetry.decision_log.tail import MOST_TAIL_BYTES, newest_lines
from ..management.management_shapes import Count

_LIST: Final = "denials"
_DENIAL: Final = b'"decision":false'
"""A record of a denial has these bytes, unless its answer is missing."""

_CUT: Final = b'"answer":null'
_SOURCE: Final = "file"


class DenialRecord(Struct, frozen=True, omit_defaults=True):
    """A record of the decision log. `masked` says that masks changed it, and `cut` that a part of it is missing."""

    time: Instant
    decision_id: str
    environment: str
    revision: Count
    kind: Literal["evaluation", "item"]
    request: Any
    answer: dict[str, Any] | None
    reason_code: str | None
    policy_id: str | None
    caller: str
    request_id: str | None
    trace_id: str | None
    duration_us: Count
    masked: bool = False
    cut: bool = False


class DenialsAnswer(Struct, frozen=True):
    """Denials, the newest first. `next_cursor` is null at the end of what is read back. `source` is where they are.

    `at_this_server` says that other servers may have the store, and that what they log is not here.
    """

    items: tuple[DenialRecord, ...]
    next_cursor: str | None
    source: Literal["file"]
    at_this_server: bool


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


_READ: Final = msgspec.json.Decoder(_ReadDenial)

LIST: Final = Operation(
    "listDenials",
    "Insight",
    "List the newest denials of the decision log, newest first",
    {200: Answer("A page of records.", DenialsAnswer)},
    f"Writ reads back the last {MOST_TAIL_BYTES // 2**20} MiB of the file of the decision log. If the log is off, or"
    " does not go to a file that can be read back: 409.",
    query=PAGE,
    errors=(409,),
)


class Denials:
    """The newest denials in one environment."""

    def __init__(self, work: StoreWork, limits: HttpLimits, decision_log: Log, at_this_server: bool) -> None:
        self._work, self._limits, self._log, self._at_this_server = work, limits, decision_log, at_this_server

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with a page of records.

        Raises:
            NotFound: there is no such environment.
            OutOfBounds: the caller is bound to other environments.
            BadQuery: the cursor is not of this list, or its record is not read back any more.
            Conflict: the decision log can't be read back.
        """
        asked = known_parameters(req, "limit", "cursor")
        limit = page_limit(asked, self._limits.page_items)
        bounds = req.context.credential.bounds
        resp.data = await self._work.search(self._page, env, bounds, limit, asked.get("cursor"))

    def _page(self, env: str, bounds: Bounds, limit: int, cursor: str | None) -> bytes:
        """Returns a page as JSON. The records are as they stand in the file."""
        environment = self._work.store.environment(env, bounds)
        behind = None if cursor is None else read_cursor(_LIST, cursor, 1)[0]
        found = list(islice(_after(behind, self._denials(environment)), limit + 1))
        items, following = b",".join(line for line, _ in found[:limit]), None
        if len(found) > limit:
            following = cursor_after(_LIST, (found[limit - 1][1],))
        end = map(ENCODER.encode, (following, _SOURCE, self._at_this_server))
        return b'{"items":[%b],"next_cursor":%b,"source":%b,"at_this_server":%b}' % (items, *end)

    def _denials(self, environment: Environment) -> Iterator[tuple[bytes, str]]:
        """Yields the denials in an environment with their ids, the newest first. Raises Conflict."""
        if self._log.file is None:
            raise Conflict(
                "the decision log is off, or goes to a place that can't be read back; start the service with"
                " `--decision-log` and the path of a file"
            )
        created = parse_instant(environment.created)
        try:
            for line in newest_lines(self._log.file):
                id = _denial_in(line, environment.id, created)
                if id is not None:
                    yield line, id
        except OSError as ex:
            raise Conflict(f"the file of the decision log can't be read: {(ex.strerror or str(ex)).lower()}") from None


def _denial_in(line: bytes, environment: str, created: int) -> str | None:
    """Returns the id of a record if it is a denial in an environment that was `created` then, or None.

    PERF: most records are permissions, and are not decoded.
    """
    if _DENIAL not in line and _CUT not in line:
        return None
    try:
        line.decode()  # the records go out as they are
        read = _READ.decode(line)
        is_its_own = read.environment == environment and parse_instant(read.time) >= created
    except (ValueError, RecursionError):  # no record, such as a line of another program
        return None
    return read.decision_id if is_its_own and _is_denial(read) else None


def _is_denial(read: _ReadDenial) -> bool:
    if read.kind is EntryKind.SEARCH:
        return False
    if read.answer is not None:
        return read.answer.decision is False
    return read.reason_code not in (None, ReasonCode.ALLOWED)


def _after(id: str | None, denials: Iterator[tuple[bytes, str]]) -> Iterator[tuple[bytes, str]]:
    """Returns the denials behind that of an id, or all of them without one. Raises BadQuery if it is not among them."""
    if id is not None and all(other != id for _, other in denials):
        raise BadQuery("the log has gone on since, and what follows can't be read back; begin without a cursor")
    return denials
