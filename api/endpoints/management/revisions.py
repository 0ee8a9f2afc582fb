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
from ...http.queries import known_parameters, page_limit
from ...http.streams import Stream
from ...settings.settings import HttpLimits
from ...store.elements.element_bodies import change_text
from ...store.errors import NotFound
from ...store.history.change_log import ChangeEntry, Revision, change_of
from .elements import CHUNK_ROWS
from .management_shapes import EntryAnswer, RevisionAnswer, RevisionDetail

_MOST_DIGITS = 18
_TAG: Final = "Models and history"

LIST: Final = Operation(
    "listRevisions",
    _TAG,
    "List the revisions, newest first",
    {200: Answer("A page.", page_of(RevisionAnswer))},
    query=PAGE,
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
        asked = known_parameters(req, "limit", "cursor")
        limit = page_limit(asked, self._limits.page_items)
        bounds = req.context.credential.bounds
        found, cursor = await self._work.read(self._work.store.revisions, env, limit, asked.get("cursor"), bounds)
        resp.data = ENCODER.encode({"items": found, "next_cursor": cursor})


class OneRevision:
    """One revision, with the change of every element. It never changes."""

    def __init__(self, work: StoreWork, limits: HttpLimits) -> None:
        self._work, self._limits = work, limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, revision: str) -> None:
        """Answer 200 with a stream of changes, or with a page of them."""
        asked = known_parameters(req, "limit", "cursor")
        number, bounds = revision_number(revision), req.context.credential.bounds
        environment = await self._work.read(self._work.store.environment, env, bounds)
        found, entries = await self._work.read(self._work.store.revision, env, number, bounds)
        tag = environment.etag_of(number)
        resp.etag = tag
        if is_known(req, tag):
            resp.status = falcon.HTTP_304
        elif asked:
            limit, cursor = page_limit(asked, self._limits.page_items), asked.get("cursor")
            page = self._work.store.revision_page
            resp.data = _page(*await self._work.read(page, env, number, limit, cursor, bounds))
        else:
            resp.stream = Stream(_document(found, entries), self._work.read)


def revision_number(text: str) -> int:
    """Returns the number of a revision. Raises NotFound if `text` is not a number."""
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise NotFound(f"there is no revision {quoted(text)}; give its number")
    return int(text)


def _page(revision: Revision, entries: tuple[ChangeEntry, ...], cursor: str | None) -> bytes:
    shown = ENCODER.encode({"entries": [_shown(entry) for entry in entries], "next_cursor": cursor})
    return ENCODER.encode(revision)[:-1] + b"," + shown[1:]


def _document(revision: Revision, entries: Iterator[ChangeEntry]) -> Generator[bytes, None, None]:
    yield ENCODER.encode(revision)[:-1] + b',"entries":['
    separator = b""
    while some := list(islice(entries, CHUNK_ROWS)):
        yield separator + b",".join(ENCODER.encode(_shown(entry)) for entry in some)
        separator = b","
    yield b"]}"


def _shown(entry: ChangeEntry) -> EntryAnswer:
    type, id = entry.key if len(entry.key) > 1 else (None, entry.key[0])
    before, after = entry.before, entry.after
    text = change_text(entry.kind, before, after)
    return EntryAnswer(entry.kind, id, change_of(before, after), before, after, type, text)
