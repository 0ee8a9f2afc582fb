"""The audit log: `/v1/audit` (contract 6)."""

from collections.abc import Mapping
from typing import Any, Final

import falcon.asgi
from msgspec import Struct

from ....bundles.conditions.instants import END
from ....bundles.wording import did_you_mean, quoted
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Instant, Operation, Parameter, Schema, page_of
from ...http.openapi.vocabulary import PAGE
from ...http.queries import instant, known_parameters, page_limit
from ...settings.settings import HttpLimits
from ...store.audit.entries import EntryFilter, NumberedEntry, sortable_time
from ...store.audit.events import Event
from ...store.errors import BadQuery

_MILLISECOND = 10**6


class AuditEntry(Struct, frozen=True):
    """An entry of the audit log. `client_id` is the client that was changed, or else the client that acted.

    `actor` is the one who acted, and `actor_name` the name of a person. `environment` is the environment's id at that
    time. `address` is the source of the request, and `request_id` its `X-Request-ID`.
    """

    id: str
    time: Instant
    event: Event
    actor: str
    client_id: str | None
    environment: str | None
    address: str | None
    request_id: str | None
    details: Mapping[str, Any]
    actor_name: str | None


_INSTANT: Final[Schema] = {"type": "string", "format": "date-time"}

LIST: Final = Operation(
    "listAudit",
    "Audit log",
    "Read the audit log, newest first",
    {200: Answer("A page.", page_of(AuditEntry))},
    "A caller that is bound to environments sees only the entries of these.",
    query=(
        Parameter("client_id", "Only entries by or about this client."),
        Parameter("event", "Only this event.", {"type": "string", "enum": [str(event) for event in Event]}),
        Parameter("actor", "Only entries of this actor, by the name that entries have."),
        Parameter("since", "Only entries from this instant on (RFC 3339).", _INSTANT),
        Parameter("until", "Only entries before this instant (RFC 3339).", _INSTANT),
        *PAGE,
    ),
)


class Audit:
    """The entries, newest first."""

    def __init__(self, work: StoreWork, limits: HttpLimits) -> None:
        self._work, self._limits = work, limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 with a page of the entries that the caller may see.

        Raises:
            BadQuery: an instant, an event or the cursor can't be read.
        """
        asked = known_parameters(req, "client_id", "event", "actor", "since", "until", "limit", "cursor")
        limit = page_limit(asked, self._limits.page_items)
        wanted = entry_filter(asked)
        bounds = req.context.credential.bounds
        found, cursor = await self._work.read(self._work.store.audit.page, wanted, bounds, limit, asked.get("cursor"))
        resp.data = ENCODER.encode({"items": [shown_entry(one) for one in found], "next_cursor": cursor})


def entry_filter(asked: Mapping[str, str]) -> EntryFilter:
    """Returns the filter by `client_id`, `event`, `actor`, `since` and `until`, if given. Raises BadQuery."""
    event = asked.get("event")
    if event is not None and event not in set(Event):
        near = did_you_mean(event, tuple(Event))
        raise BadQuery(f"there is no event {quoted(event)}{near and f'; {near}'}")
    return EntryFilter(
        asked.get("client_id"),
        None if event is None else Event(event),
        _time(asked, "since"),
        _time(asked, "until"),
        asked.get("actor"),
    )


def shown_entry(found: NumberedEntry) -> AuditEntry:
    """Returns an entry in the shape of the answer."""
    one = found.entry
    return AuditEntry(
        str(found.number),
        one.time,
        one.event,
        one.actor,
        one.client_id,
        one.environment,
        one.address,
        one.request_id,
        one.details,
        one.actor_name,
    )


def _time(asked: Mapping[str, str], name: str) -> str | None:
    found = instant(asked, name)
    if found is None:
        return None
    # Rounded up, since entries have milliseconds. The last instant is the end of the year 9999.
    return sortable_time(min(-(-found // _MILLISECOND), END // _MILLISECOND - 1) * _MILLISECOND)
