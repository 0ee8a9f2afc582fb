"""The assignments and grants that expire soon, or expired lately: `/v1/environments/{env}/expiring`."""

import math
from typing import Any, Final

import falcon
import falcon.asgi
from msgspec import Struct

from ....bundles.conditions.instants import SECOND, parse_instant, show_instant
from ....bundles.signing.sign import DAY
from ....bundles.wording import alternatives
from ....compiler.model.elements import ElementKind
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Instant, Operation, Parameter, Schema, page_of
from ...http.openapi.vocabulary import PAGE
from ...http.queries import instant, known_parameters, page_limit
from ...settings.durations import read_duration
from ...settings.settings import HttpLimits
from ...store.environment_ids import Bounds
from ...store.errors import BadQuery
from ...store.expiring import Expiring
from .elements import CHUNK_ROWS

DEFAULT_DAYS: Final = 7
MOST_DAYS: Final = 366
"""The longest time ahead, or back, that a caller may ask for."""

STATES: Final = ("ending", "ended")


class ExpiringAnswer(Struct, frozen=True):
    """An assignment or a grant that expires. `kind` is its list, `element` the whole element."""

    kind: ElementKind
    id: str
    expires_at: Instant
    element: dict[str, Any]


_INSTANT: Final[Schema] = {"type": "string", "format": "date-time"}

LIST: Final = Operation(
    "listExpiring",
    "Models and history",
    "List the assignments and grants that expire soon or expired lately, earliest first",
    {200: Answer("A page.", page_of(ExpiringAnswer))},
    "The list has what has not expired yet and expires within the given time, also if it has not started yet. With"
    " `state=ended`, it has what expired within that time until now, and was not removed since. With `since` and"
    " `until` in place of both, it has what expires from the one instant until before the other.",
    query=(
        Parameter(
            "within",
            f"A time from now on, or until now, like `90s`, `12h` or `7d`, up to `{MOST_DAYS}d`. The default is"
            f" `{DEFAULT_DAYS}d`.",
            {"type": "string", "pattern": "^[0-9]{1,9}[smhd]$"},
        ),
        Parameter(
            "state", "What expires, or what has expired.", {"type": "string", "enum": [*STATES], "default": STATES[0]}
        ),
        Parameter("since", "Only what expires from this instant on (RFC 3339). It needs `until`.", _INSTANT),
        Parameter("until", f"Only what expires before this instant, up to {MOST_DAYS} days later.", _INSTANT),
        *PAGE,
    ),
)


class ExpiringList:
    """The assignments and grants that expire soon, or expired lately, earliest first."""

    def __init__(self, work: StoreWork, limits: HttpLimits) -> None:
        self._work, self._limits = work, limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with a page. Raises BadQuery for a bad duration, state, instant, limit or cursor."""
        asked = known_parameters(req, "within", "state", "since", "until", "limit", "cursor")
        wanted = page_limit(asked, self._limits.page_items)
        after, until = _span(asked, self._work.now())
        cursor, bounds, items = asked.get("cursor"), req.context.credential.bounds, list[bytes]()
        while True:
            limit = min(CHUNK_ROWS, wanted)
            chunk, cursor = await self._work.read(self._chunk, env, after, until, limit, cursor, bounds)
            items += chunk
            wanted -= limit
            if cursor is None or not wanted:
                break
        resp.data = b'{"items":[' + b",".join(items) + b'],"next_cursor":' + ENCODER.encode(cursor) + b"}"

    def _chunk(
        self, env: str, after: float, until: float, limit: int, cursor: str | None, bounds: Bounds
    ) -> tuple[list[bytes], str | None]:
        """Returns some items as JSON, and the cursor of the next ones."""
        found, following = self._work.store.expiring.page(env, after, until, limit, cursor, bounds)
        return [ENCODER.encode(_shown(one)) for one in found], following


def _span(asked: dict[str, str], now: float) -> tuple[float, float]:
    """Returns the instants between which the listed elements expire, without the first one. Raises BadQuery."""
    if "since" in asked or "until" in asked:
        return _given_span(asked)
    state, seconds = asked.get("state", STATES[0]), _seconds(asked)
    if state not in STATES:
        raise BadQuery(f"`state` is {alternatives(STATES)}")
    return (now, now + seconds) if state == STATES[0] else (now - seconds, now)


def _given_span(asked: dict[str, str]) -> tuple[float, float]:
    """Returns the instants just before `since` and `until`, so that the first one is in the span. Raises BadQuery."""
    since, until = instant(asked, "since"), instant(asked, "until")
    if since is None or until is None or asked.keys() & {"within", "state"}:
        raise BadQuery("give `since` and `until` together, and neither `within` nor `state` with them")
    if not since < until <= since + MOST_DAYS * DAY * SECOND:
        raise BadQuery(f"`until` is after `since`, by {MOST_DAYS} days at most")
    return math.nextafter(since / SECOND, -math.inf), math.nextafter(until / SECOND, -math.inf)


def _seconds(asked: dict[str, str]) -> int:
    if "within" not in asked:
        return DEFAULT_DAYS * DAY
    try:
        return read_duration(asked["within"], MOST_DAYS)
    except ValueError as ex:
        raise BadQuery(f"`within`: {ex}") from None


def _shown(one: Expiring) -> ExpiringAnswer:
    expires_at = show_instant(parse_instant(one.element["expires_at"]))
    return ExpiringAnswer(one.kind, one.id, expires_at, one.element)
