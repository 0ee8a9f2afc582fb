"""The decisions of the last hour, by minute and by reason code: `/v1/environments/{env}/figures`."""

from typing import Final

import falcon.asgi
from msgspec import Struct

from ....bundles.conditions.instants import show_seconds
from ....bundles.wording import quoted
from ....runtime.rules.reasons import ReasonCode
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Instant, Operation
from ...http.queries import known_parameters
from ...store.environment_ids import Bounds
from ...store.errors import Conflict
from ...telemetry.metrics.counts import Counts
from ...telemetry.metrics.last_hour import Hour, Minute
from ..management.management_shapes import Count

_OUTCOMES: Final = ("allow", "deny", "error")
"""The outcomes of the metric, as its label names them, in the order of a minute's members."""


class MinuteAnswer(Struct, frozen=True):
    """The decisions of the minute that begins `at`. `errors` are items of a batch that could not be decided."""

    at: Instant
    permitted: Count
    denied: Count
    errors: Count


class FiguresAnswer(Struct, frozen=True):
    """The decisions from `since` until `until`. `minutes` are up to 60, oldest first, and the last one is not over.

    `reasons` has every reason code, with the number of its decisions in these minutes. `at_this_server` says that
    other servers may have the store, and that their decisions are not counted.
    """

    since: Instant
    until: Instant
    minutes: tuple[MinuteAnswer, ...]
    reasons: dict[str, Count]
    at_this_server: bool


GET: Final = Operation(
    "getFigures",
    "Insight",
    "Count the decisions of the last hour",
    {200: Answer("The figures, of all workers together.", FiguresAnswer)},
    "Decisions are those of the metric `writ_decisions_total`: each item of a batch is one. A service that is younger"
    " than an hour has fewer minutes. If the service does not count this environment apart: 409.",
    errors=(409,),
)


class Figures:
    """The decisions of one environment in the last hour."""

    def __init__(self, work: StoreWork, counts: Counts, at_this_server: bool) -> None:
        self._work, self._hour, self._at_this_server = work, counts.table.hour, at_this_server

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200.

        Raises:
            NotFound: there is no such environment.
            OutOfBounds: the caller is bound to other environments.
            Conflict: the service does not count this environment apart.
        """
        known_parameters(req)
        found = await self._work.read(self._read, env, req.context.credential.bounds)
        resp.data = ENCODER.encode(_shown(found, self._at_this_server))

    def _read(self, env: str, bounds: Bounds) -> Hour:
        found = self._hour.read(self._work.store.environment(env, bounds).uuid)
        if not found.is_whole:
            raise Conflict(
                f"the service counts the decisions of {quoted(env)} together with those of other environments,"
                " since it has too many environments to count each apart"
            )
        return found


def _shown(hour: Hour, at_this_server: bool) -> FiguresAnswer:
    reasons = {code.value: 0 for code in ReasonCode}
    for minute in hour.minutes:
        for (_, code), count in minute.counts.items():
            if code:
                reasons[code] += count
    shown = tuple(_shown_minute(minute) for minute in hour.minutes)
    return FiguresAnswer(show_seconds(hour.since), show_seconds(hour.until), shown, reasons, at_this_server)


def _shown_minute(minute: Minute) -> MinuteAnswer:
    found = dict.fromkeys(_OUTCOMES, 0)
    for (outcome, _), count in minute.counts.items():
        found[outcome] += count
    return MinuteAnswer(show_seconds(minute.start), *found.values())
