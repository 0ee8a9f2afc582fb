"""The newest denials in the decision log: `/v1/environments/{env}/denials`."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

import falcon.asgi
from msgspec import Struct

from ....bundles.conditions.instants import from_seconds, parse_instant
from ....bundles.system_errors import public_reason
from ....bundles.wording import alternatives
from ....runtime.rules.reasons import ReasonCode
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Instant, Operation, Parameter
from ...http.openapi.vocabulary import PAGE
from ...http.queries import known_parameters, page_limit
from ...settings.durations import read_duration
from ...settings.settings import HttpLimits
from ...store.environment_ids import Bounds
from ...store.environments import Environment
from ...store.errors import BadQuery, Conflict
from ...store.pages import cursor_after, read_cursor
from ...telemetry.decision_log.decision_log import Log
from ...telemetry.decision_log.denials import EVERY_DENIAL, Denial, DenialFilter, newest_denials
from ...telemetry.decision_log.tail import MOST_TAIL_BYTES
from ..management.management_shapes import Count

_LIST: Final = "denials"
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


_FILTERS: Final = ("within", "subject", "action", "resource", "reason")
MOST_DAYS: Final = 366
"""The longest time back that a caller may ask for."""

_REASONS: Final = [code.value for code in ReasonCode if code is not ReasonCode.ALLOWED]


LIST: Final = Operation(
    "listDenials",
    "Insight",
    "List the newest denials of the decision log, newest first",
    {200: Answer("A page of records.", DenialsAnswer)},
    f"Writ reads back the last {MOST_TAIL_BYTES // 2**20} MiB of the file of the decision log. If the log is off, or"
    " does not go to a file that can be read back: 409.",
    query=(
        Parameter(
            "within",
            f"Only the denials of this time until now, like `1h` or `7d`, up to `{MOST_DAYS}d`.",
            {"type": "string", "pattern": "^[0-9]{1,9}[smhd]$"},
        ),
        Parameter("subject", "Only those of the subject with this id or external id."),
        Parameter("action", "Only those of this action."),
        Parameter("resource", "Only those of the resource with this id, external id or name."),
        Parameter("reason", "Only those with this reason code.", {"enum": _REASONS}),
        *PAGE,
    ),
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
            BadQuery: a filter can't be read, the cursor is not of this list, or its record is not read back any more.
            Conflict: the decision log can't be read back.
        """
        asked = known_parameters(req, "limit", "cursor", *_FILTERS)
        limit, wanted = page_limit(asked, self._limits.page_items), _filter_in(asked, self._work.now())
        bounds = req.context.credential.bounds
        resp.data = await self._work.search(self._page, env, bounds, limit, asked.get("cursor"), wanted)

    def _page(
        self, env: str, bounds: Bounds, limit: int, cursor: str | None, wanted: DenialFilter = EVERY_DENIAL
    ) -> bytes:
        """Returns a page as JSON. The records are as they stand in the file."""
        environment = self._work.store.environment(env, bounds)
        behind = None if cursor is None else read_cursor(_LIST, cursor, 1)[0]
        rest = filter(wanted.has, _after(behind, self._denials(environment)))
        found = list(islice(rest, limit + 1))
        items, following = b",".join(one.line for one in found[:limit]), None
        if len(found) > limit:
            following = cursor_after(_LIST, (found[limit - 1].id,))
        end = map(ENCODER.encode, (following, _SOURCE, self._at_this_server))
        return b'{"items":[%b],"next_cursor":%b,"source":%b,"at_this_server":%b}' % (items, *end)

    def _denials(self, environment: Environment) -> Iterator[Denial]:
        """Yields the denials in an environment, the newest first. Raises Conflict."""
        with read_back(self._log) as file:
            yield from newest_denials(file, environment.id, parse_instant(environment.created))


@contextmanager
def read_back(log: Log) -> Iterator[Path]:
    """Gives the file of a decision log to a block that reads it. Raises Conflict if it can't be read."""
    if log.file is None:
        raise Conflict(
            "the decision log is off, or goes to a place that can't be read back; start the service with"
            " `--decision-log` and the path of a file"
        )
    try:
        yield log.file
    except OSError as ex:
        raise Conflict(f"the file of the decision log can't be read: {public_reason(ex)}") from None


def _filter_in(asked: dict[str, str], now: float) -> DenialFilter:
    """Returns the filter that a query has. Raises BadQuery."""
    if asked.get("reason", _REASONS[0]) not in _REASONS:
        raise BadQuery(f"`reason` is {alternatives(_REASONS)}")
    since = None
    if "within" in asked:
        try:
            since = from_seconds(now - read_duration(asked["within"], MOST_DAYS))
        except ValueError as ex:
            raise BadQuery(f"`within`: {ex}") from None
    return DenialFilter(since, *map(asked.get, _FILTERS[1:]))


def _after(id: str | None, denials: Iterator[Denial]) -> Iterator[Denial]:
    """Returns the denials behind that of an id, or all of them without one. Raises BadQuery if it is not among them."""
    if id is not None and all(one.id != id for one in denials):
        raise BadQuery("the log has gone on since, and what follows can't be read back; begin without a cursor")
    return denials
