"""The export of an environment's bundle: `/v1/environments/{env}/bundle`."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import falcon
import falcon.asgi

from ....bundles.feed.update import CONTENT_TYPE as UPDATE
from ....bundles.feed.update import OLDER
from ...http.bodies import Bodies
from ...http.caller import CALLER
from ...http.entity_tags import is_known
from ...http.openapi.operation import Answer, Operation, Parameter
from ...http.openapi.vocabulary import ETAG, IF_NONE_MATCH, UNCHANGED
from ...http.queries import known_parameters, number
from ...http.revision_tokens import REVISION, REVISION_TOLD
from ...http.streams import Stream
from ...identity.request_actor import actor_of
from ...store.environment_ids import refuse_outside
from ...store.errors import StoreUnavailable
from ..live.store_work import StoreWork
from ..work.fair_turns import FairTurns
from .export_counts import Exports
from .export_files import SignedBundle
from .exporter import Body, Exporter, unavailable
from .long_updates import LongUpdates
from .preferences import LONGEST_WAIT, is_older_preferred, wait_preferred
from .ranges import PIECE, ByteRange, DataPieces, FilePieces, Unsatisfiable, part_of
from .states import ExportState, States

BUNDLE: Final = "application/vnd.writ.bundle"
MOST_DOWNLOADS: Final = 64
"""Bundles and long updates that one worker sends at a time. More are 503 with `Retry-After`."""

MAKING_SECONDS: Final = 20.0
"""The seconds for which one who follows waits for a bundle that is being made. Then the answer is 503 with
`Retry-After`: agents give up after 30 seconds."""

_HIGHEST: Final = 2**63 - 1
_BINARY: Final = {"type": "string", "format": "binary"}

GET: Final = Operation(
    "getBundle",
    "Bundles",
    "Export the signed bundle, or the update that leads to the newest revision",
    {
        200: Answer("The bundle, or with `since` an update.", _BINARY, (ETAG, REVISION_TOLD), (BUNDLE, UPDATE)),
        206: Answer("The part that `Range` asks for.", _BINARY, (ETAG, REVISION_TOLD), (BUNDLE,)),
        304: UNCHANGED,
    },
    "A bundle carries its own signature. `Prefer: wait=N` holds the answer back until something changes.",
    query=(
        Parameter(
            "since",
            "The revision that the client has. The answer is an update from there if there can be one.",
            {"type": "integer", "minimum": 0},
        ),
    ),
    headers=(
        IF_NONE_MATCH,
        Parameter(
            "Prefer",
            f"`wait=N` waits up to N seconds for a change, {LONGEST_WAIT} at most. With `{OLDER}`, a whole bundle may"
            " be one that is there: an update leads on from it.",
        ),
        Parameter("Range", "The part of the bundle to send: a download that broke off goes on."),
        Parameter("If-Range", "The entity tag of the bundle that the client has a part of."),
    ),
    errors=(416, 503),
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The preferences of a request. `since` is None for a whole bundle, which may be `older`. `wait` is in seconds."""

    since: int | None
    wait: int
    older: bool


class BundleExport:
    """Sends bundles and updates to those who follow an environment."""

    def __init__(self, exporter: Exporter, states: States, work: StoreWork, exports: Exports, bodies: Bodies) -> None:
        self._exporter, self._states, self._work = exporter, states, work
        self._exports, self._confirm = exports, bodies.confirm
        self._downloads, self._long = FairTurns(MOST_DOWNLOADS), LongUpdates()

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with a bundle or an update, or 304 if the client has the newest one."""
        asked = _asked(req)
        state = await self._states.of(env)
        refuse_outside(state.env.uuid, req.context.credential.bounds)
        if asked.since is None:
            await self._whole(req, resp, asked, state)
        else:
            await self._since(req, resp, asked, asked.since, state)

    async def _whole(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, asked: _Asked, state: ExportState
    ) -> None:
        made = self._exporter.base if asked.older else self._exporter.bundle
        found = await (_soon(made(state)) if asked.older else made(state))
        if asked.wait and _has(req, found):
            resp.set_header("Preference-Applied", f"wait={asked.wait}")
            newer = await self._states.after_revision(state, asked.wait)
            self._refuse(req, newer)
            found = await self._exporter.bundle(newer)
        await self._send(req, resp, found, state)

    async def _since(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, asked: _Asked, since: int, state: ExportState
    ) -> None:
        if asked.wait and _is_current(req, state, since):
            resp.set_header("Preference-Applied", f"wait={asked.wait}")
            state = await self._states.after(state, asked.wait)
            self._refuse(req, state)
        if _is_current(req, state, since):
            _unchanged(resp, state.etag, state.env.revision)
            return
        tags = req.get_header("If-None-Match")
        with_callers = tags is not None and f'.{state.callers}"' not in tags
        body = await self._exporter.update(state, since, with_callers)
        if body is not None:
            await self._send_update(req, resp, body)
        else:
            made = self._exporter.bundle if since else self._exporter.base
            await self._send(req, resp, await _soon(made(state)), state)

    async def _send_update(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, body: Body) -> None:
        update, data, is_packed = body.update, body.update.data, False
        if body.compressed is not None and _takes_gzip(req):
            data, is_packed = body.compressed, True
        # A slow client must not keep a copy of a long one.
        is_long, stream = len(data) > PIECE, None
        if req.method != "HEAD":
            ended = self._begun(data) if is_long else _nothing
            try:
                await self._record(req, update.env.id, UPDATE)
            except BaseException:
                ended()
                raise
            stream = Stream(DataPieces(data), _at_once, ended) if is_long else None
        resp.etag, resp.content_type = update.etag, UPDATE
        _describe(resp, update.revision, is_packed)
        if stream is not None:
            resp.set_stream(stream, len(data))
        elif is_long:
            resp.content_length = len(data)
        else:
            resp.data = data

    async def _send(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, found: SignedBundle, state: ExportState
    ) -> None:
        self._refuse(req, state)  # a making may have taken long
        if _has(req, found):
            _unchanged(resp, found.etag, found.revision)
            return
        compressed = found.compressed if _takes_gzip(req) and req.get_header("Range") is None else None
        path, etag = (found.path, found.etag) if compressed is None else (compressed, f"{found.etag}-gzip")
        await self._stream(req, resp, path, etag, found, state)

    async def _stream(
        self,
        req: falcon.asgi.Request,
        resp: falcon.asgi.Response,
        path: Path,
        etag: str,
        found: SignedBundle,
        state: ExportState,
    ) -> None:
        with unavailable():
            size = (await self._work.read(path.stat)).st_size
        try:
            part = part_of(req.get_header("Range"), req.get_header("If-Range"), etag, size)
        except Unsatisfiable:
            raise falcon.HTTPRangeNotSatisfiable(size) from None
        start, end = part or ByteRange(0, size)
        if req.method == "HEAD":
            resp.content_length = end - start
        else:
            resp.set_stream(await self._opened(req, path, ByteRange(start, end), state), end - start)
        # From here on nothing fails: an error must not have these headers.
        resp.etag, resp.content_type = etag, BUNDLE
        resp.set_header("Accept-Ranges", "bytes")
        _describe(resp, found.revision, path != found.path)
        if part is not None:
            resp.status = falcon.HTTP_206
            resp.content_range = (start, end - 1, size)

    async def _opened(self, req: falcon.asgi.Request, path: Path, part: ByteRange, state: ExportState) -> Stream:
        """Returns a part of a file, once its export is recorded."""
        ended = self._download()
        try:
            await self._record(req, state.env.id, BUNDLE)
            with unavailable():
                return Stream(await self._work.read(FilePieces, path, part), self._work.read, ended)
        except BaseException:
            ended()
            raise

    def _begun(self, data: bytes) -> Callable[[], None]:
        """Begins to send a long update, and returns what ends that. Raises StoreUnavailable."""
        given_back = self._download()
        try:
            ended = self._long.begin(data)
        except BaseException:
            given_back()
            raise

        def end() -> None:
            ended()
            given_back()

        return end

    def _download(self) -> Callable[[], None]:
        """Takes a turn to send much, and returns what gives it back. Raises StoreUnavailable."""
        who = CALLER.get()
        if not self._downloads.take_at_once(who):
            raise StoreUnavailable("this worker already sends as many bundles as it may; try again later")
        return partial(self._downloads.give_back, who)

    async def _record(self, req: falcon.asgi.Request, environment: str, what: str) -> None:
        """Records an export before it leaves: the first of its kind in an hour by itself, others as a count."""
        env, actor = (await self._states.of(environment)).env, actor_of(req)
        entry = self._exports.counted(actor, env, what, self._work.time())
        if entry is not None:
            await self._work.record(entry)

    def _refuse(self, req: falcon.asgi.Request, state: ExportState) -> None:
        """Refuses a request that may no longer be answered: its credential may have ended while it waited."""
        self._confirm(req)
        refuse_outside(state.env.uuid, req.context.credential.bounds)


def _asked(req: falcon.asgi.Request) -> _Asked:
    found = known_parameters(req, "since")
    since = number("since", found["since"], 0, _HIGHEST) if "since" in found else None
    preferred = req.get_header("Prefer")
    return _Asked(since, wait_preferred(preferred), is_older_preferred(preferred))


def _nothing() -> None:
    """A short update takes no turn."""


async def _soon(made: Awaitable[SignedBundle]) -> SignedBundle:
    """Returns an export, if it is made soon. The making goes on for the next request. Raises StoreUnavailable."""
    try:
        async with asyncio.timeout(MAKING_SECONDS):
            return await made
    except TimeoutError:
        raise StoreUnavailable("the bundle is still being made; try again later") from None


async def _at_once(call: Callable[..., bytes | None], *arguments: object) -> bytes | None:
    """Calls what needs no thread: the bytes are in memory."""
    return call(*arguments)


def _is_current(req: falcon.asgi.Request, state: ExportState, since: int) -> bool:
    """Returns whether the client has the state: its tag, or without a tag its revision."""
    if req.get_header("If-None-Match") is None:
        return since == state.env.revision
    return is_known(req, state.etag)


def _has(req: falcon.asgi.Request, found: SignedBundle) -> bool:
    return is_known(req, found.etag) or is_known(req, f"{found.etag}-gzip")


def _unchanged(resp: falcon.asgi.Response, etag: str, revision: int) -> None:
    resp.status, resp.etag = falcon.HTTP_304, etag
    _describe(resp, revision)


def _describe(resp: falcon.asgi.Response, revision: int, is_packed: bool = False) -> None:
    resp.set_header(REVISION, str(revision))
    if is_packed:
        resp.set_header("Content-Encoding", "gzip")
    resp.set_header("Cache-Control", "private, no-cache")
    resp.append_header("Vary", "Accept-Encoding, Authorization")


def _takes_gzip(req: falcon.asgi.Request) -> bool:
    """Returns whether the client accepts gzip (RFC 9110, 12.5.3). `q=0` refuses it; other weights don't matter."""
    for coding in (req.get_header("Accept-Encoding") or "").split(","):
        name, _, weight = coding.partition(";")
        if name.strip().lower() == "gzip":
            return weight.replace(" ", "").rstrip("0").lower() not in ("q=", "q=0.", "q=.")
    return False
