"""The history of an environment: `/v1/environments/{env}/revisions[/{revision}]`."""

from collections.abc import Generator, Iterator
from itertools import islice
from typing import Final

import falcon
import falcon.asgi

from ....bundles.wording import quoted
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.entity_tags import is_known
from ...http.openapi.operation import Answer, Operation, page_of
from ...http.openapi.vocabulary import ETAG, IF_NONE_MATCH, PAGE, UNCHANGED
from ...http.queries import known_parameters, number, page_limit
from ...http.streams import Stream
from ...identity.credential import Scope
from ...settings.settings import HttpLimits
from ...store.errors import NotFound
from ...store.history.change_log import GATEWAY, ChangeEntry, Revision
from ...store.history.gateway_past import GatewayChange
from .elements import CHUNK_ROWS
from .management_shapes import ListedRevision, RevisionDetail
from .revision_filters import FILTERS, MOST_NAMED, listed, revision_filter, shown_entry

_MOST_DIGITS = 18
_TAG: Final = "Models and history"

LIST: Final = Operation(
    "listRevisions",
    _TAG,
    "List the revisions, newest first",
    {200: Answer("A page.", page_of(ListedRevision))},
    "With `id`, a page may be short or empty, also if there is a `next_cursor`: Writ reads a part of the history at a"
    " time.",
    query=(*FILTERS, *PAGE),
)
GET: Final = Operation(
    "getRevision",
    _TAG,
    "Read a revision with the change of every element",
    {200: Answer("The revision.", RevisionDetail, (ETAG,)), 304: UNCHANGED},
    "With `limit` or `cursor`, the answer has a page of the changes, and the `next_cursor`.",
    query=PAGE,
    headers=(IF_NONE_MATCH,),
)


class Revisions:
    """The revisions, newest first."""

    def __init__(self, work: StoreWork, limits: HttpLimits) -> None:
        self._work, self._limits = work, limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with a page of revisions."""
        asked = known_parameters(req, *(one.name for one in LIST.query))
        limit, where = page_limit(asked, self._limits.page_items), revision_filter(asked)
        many = number("elements", asked["elements"], 0, MOST_NAMED) if "elements" in asked else 0
        bounds, find = req.context.credential.bounds, self._work.store.history.find
        found, cursor = await self._work.read(find, env, where, limit, asked.get("cursor"), many, bounds)
        items = [listed(one, where, many) for one in found]
        resp.data = ENCODER.encode({"items": items, "next_cursor": cursor})


class OneRevision:
    """One revision, with the change of every element. It never changes."""

    def __init__(self, work: StoreWork, limits: HttpLimits) -> None:
        self._work, self._limits = work, limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, revision: str) -> None:
        """Answer 200 with a stream of changes, or with a page of them."""
        asked = known_parameters(req, "limit", "cursor")
        revised, bounds = revision_number(revision), req.context.credential.bounds
        environment = await self._work.read(self._work.store.environment, env, bounds)
        found, entries = await self._work.read(self._work.store.revision, env, revised, bounds)
        tag = environment.etag_of(revised)
        resp.etag = tag
        if is_known(req, tag):
            resp.status = falcon.HTTP_304
        elif asked:
            limit, cursor = page_limit(asked, self._limits.page_items), asked.get("cursor")
            page = self._work.store.history.revision_page
            gateway = await self._gateway(req, env, found)
            resp.data = _page(*await self._work.read(page, env, revised, limit, cursor, bounds), gateway)
        else:
            gateway = await self._gateway(req, env, found)
            resp.stream = Stream(_document(found, entries, gateway), self._work.read)

    async def _gateway(self, req: falcon.asgi.Request, env: str, revision: Revision) -> GatewayChange | None:
        """Returns the change of the gateway settings. They are for administrators, as the audit log is."""
        credential = req.context.credential
        if GATEWAY not in revision.changes or credential.scope < Scope.ADMIN:
            return None
        return await self._work.read(self._work.store.history.gateway, env, revision.revision, credential.bounds)


def revision_number(text: str) -> int:
    """Returns the number of a revision. Raises NotFound if `text` is not a number."""
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise NotFound(f"there is no revision {quoted(text)}; give its number")
    return int(text)


def _head(revision: Revision, gateway: GatewayChange | None) -> bytes:
    """Returns the beginning of the answer, up to the value of `entries`."""
    told = b"" if gateway is None else b',"gateway":' + ENCODER.encode(gateway)
    return ENCODER.encode(revision)[:-1] + told + b',"entries":'


def _page(
    revision: Revision, entries: tuple[ChangeEntry, ...], cursor: str | None, gateway: GatewayChange | None
) -> bytes:
    shown, end = ENCODER.encode([shown_entry(one) for one in entries]), ENCODER.encode({"next_cursor": cursor})
    return _head(revision, gateway) + shown + b"," + end[1:]


def _document(
    revision: Revision, entries: Iterator[ChangeEntry], gateway: GatewayChange | None
) -> Generator[bytes, None, None]:
    yield _head(revision, gateway) + b"["
    separator = b""
    while some := list(islice(entries, CHUNK_ROWS)):
        yield separator + b",".join(ENCODER.encode(shown_entry(one)) for one in some)
        separator = b","
    yield b"]}"
