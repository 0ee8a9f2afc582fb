"""The counts of what needs attention: `/v1/environments/{env}/attention`."""

from typing import Any, Final

import falcon.asgi
from msgspec import Struct

from ....bundles.conditions.instants import SECOND, from_seconds, parse_instant, show_instant, show_seconds
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Instant, Operation
from ...http.queries import known_parameters
from ...identity.credential import Scope
from ...store.credentials import credential_states as states
from ...store.environment_ids import Bounds
from ...store.environments import Environment
from ...store.errors import Conflict
from ...store.insight.attention import ENDED_DAYS, ENDING_DAYS, MOST_COUNTED, ToAdminister
from ...telemetry.decision_log.decision_log import Log
from ...telemetry.decision_log.denials import counted_denials
from ..management.management_shapes import Count
from .denials import read_back

HOUR: Final = 3_600 * SECOND
"""The span of time whose denials are compared with those of the span before."""

FEWEST_DENIALS: Final = 10
"""The denials of the last hour from which on they may have risen."""

RISE: Final = 2
"""The factor by which they must exceed those of the hour before."""


class SourceAnswer(Struct, frozen=True):
    """The environment of which the last promotion took over a revision, and how many later ones changed policies."""

    environment: str
    revision: Count
    changes: Count


class RiseAnswer(Struct, frozen=True):
    """The denials of the last hour and of the hour before, as far as the decision log is read back.

    `known_since` is the time of the oldest record that was read, or null if there is none. `hour_before` and `rose` are
    null if that is too late. `is_cut` says that the file has earlier records. `unread` says why the log can't be read.
    """

    last_hour: Count | None = None
    hour_before: Count | None = None
    rose: bool | None = None
    known_since: Instant | None = None
    is_cut: bool = False
    at_this_server: bool = False
    unread: str | None = None


class ClientCounts(Struct, frozen=True):
    """The clients that were not used for long, and those with an old secret that ends soon."""

    unused: Count
    ending: Count


class ApiKeyCounts(ClientCounts, frozen=True):
    """The API keys that were not used for long, that end soon or have an old key that does, and that have expired."""

    expired: Count


class AdministrationAnswer(Struct, frozen=True):
    """The counts for administrators: promotions `waiting` for an approval, credentials, and denials."""

    waiting: Count
    clients: ClientCounts
    api_keys: ApiKeyCounts
    denials: RiseAnswer


class AttentionAnswer(Struct, frozen=True):
    """The counts of what needs attention at an instant. `administration` is null for callers without `admin`.

    `edited` is null if nothing was promoted to the environment, and `source` if its changes can't be told.
    """

    at: Instant
    ending: Count
    ended: Count
    edited: Count | None
    source: SourceAnswer | None
    administration: AdministrationAnswer | None


GET: Final = Operation(
    "getAttention",
    "Insight",
    "Count what needs attention",
    {200: Answer("The counts.", AttentionAnswer)},
    f"A count ends at {MOST_COUNTED:,}. `ending` are the assignments and grants that end within {ENDING_DAYS} days, and"
    f" `ended` those that ended in the last {ENDED_DAYS} days and are still there. A client or an API key is `unused`"
    f" if it is at least {states.UNUSED_DAYS} days old and had no use since, and `ending` if it or an old secret of it"
    f" ends within {states.ENDING_DAYS} days. Denials `rose` if the last hour has at least {FEWEST_DENIALS} of them,"
    f" and at least {RISE} times as many as the hour before.",
)


class AttentionCounts:
    """The counts of what needs attention in an environment."""

    def __init__(self, work: StoreWork, decision_log: Log, at_this_server: bool) -> None:
        self._work, self._log, self._at_this_server = work, decision_log, at_this_server

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200. Raises NotFound and OutOfBounds."""
        known_parameters(req)
        caller = req.context.credential
        resp.data = await self._work.search(self._counted, env, caller.scope >= Scope.ADMIN, caller.bounds)

    def _counted(self, env: str, administers: bool, bounds: Bounds) -> bytes:
        now = self._work.now()
        environment, found, administered = self._work.store.insight.attention(env, now, administers, bounds)
        source = None if found.source is None else SourceAnswer(*found.source)
        answer = AttentionAnswer(
            show_seconds(now),
            found.ending,
            found.ended,
            found.edited,
            source,
            None if administered is None else self._administered(administered, environment, from_seconds(now)),
        )
        return ENCODER.encode(answer)

    def _administered(self, found: ToAdminister, environment: Environment, now: int) -> AdministrationAnswer:
        clients, api_keys = ClientCounts(**found.clients), ApiKeyCounts(**found.api_keys)
        return AdministrationAnswer(found.waiting, clients, api_keys, self._rise(environment, now))

    def _rise(self, environment: Environment, now: int) -> RiseAnswer:
        more: dict[str, Any] = {"at_this_server": self._at_this_server}
        try:
            with read_back(self._log) as file:
                found = counted_denials(file, environment.id, parse_instant(environment.created), now, HOUR)
        except Conflict as ex:
            return RiseAnswer(unread=str(ex), **more)
        rose = None if found.before is None else found.last >= max(FEWEST_DENIALS, RISE * found.before)
        known = None if found.known_since is None else show_instant(found.known_since)
        return RiseAnswer(found.last, found.before, rose, known, found.is_cut, **more)
