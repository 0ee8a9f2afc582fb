"""Gets exports and updates for the requests of one worker, which share what is made for several of them."""

import asyncio
import gzip
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from ....bundles.signing.pem_keys import SigningKey
from ....bundles.system_errors import sentence_of
from ...store.errors import StoreUnavailable
from ..live.store_work import StoreWork
from .export_files import ExportFiles, SignedBundle
from .make import COMPRESSION_LEVEL, is_fresh
from .making import EXPORT, ExportRequest
from .states import ExportState
from .updates import SignedUpdate, UpdateMaker

MOST_UPDATES: Final = 256
MOST_HELD_BYTES: Final = 32 * 1024 * 1024
"""The updates that a worker keeps for others who ask for the same."""

UPDATE_SECONDS: Final = 10.0
"""The seconds for which an update is sent again before it gets a new signature: its time of issue shows its freshness.
"""

MOST_ATTEMPTS: Final = 3
"""The number of exports that a request waits for. The second one began after the request came."""

LEAST_COMPRESSED: Final = 1_024
"""A shorter update is not compressed."""

Key: TypeAlias = tuple[str, str, int, bool]


@contextmanager
def unavailable() -> Iterator[None]:
    """Turns an OSError about the folder of exports into StoreUnavailable."""
    try:
        yield
    except OSError as ex:
        raise StoreUnavailable(
            f"the exports can't be read or written: {sentence_of(ex)}", "no bundle can be exported; try again later"
        ) from ex


@dataclass(frozen=True, slots=True)
class Body:
    """An update as it is sent, and its compressed form or None. `made` is in monotonic seconds."""

    update: SignedUpdate
    compressed: bytes | None
    made: float

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return len(self.update.data) + len(self.compressed or b"")


@dataclass(slots=True)
class Exporter:
    """The exports of one worker. Only the thread of the event loop uses it.

    `signer` returns the key of bundles, in a thread; it raises StoreUnavailable. `lifetime` is that of a
    signature, in seconds. `clock` gives epoch seconds.
    """

    directory: Path
    work: StoreWork
    updates: UpdateMaker
    signer: Callable[[], SigningKey]
    lifetime: int
    clock: Callable[[], float]
    files: ExportFiles = field(init=False)
    _making: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _signing: dict[Key, asyncio.Task[Body | None]] = field(default_factory=dict)
    _held: OrderedDict[Key, Body] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        self.files = ExportFiles(self.directory)

    async def bundle(self, state: ExportState) -> SignedBundle:
        """Returns an export of the newest revision, made now if there is none.

        Raises NotFound, StoreUnavailable.
        """
        for _ in range(MOST_ATTEMPTS):
            found = await self.work.read(self._found, state)
            if found is not None and found.revision >= state.env.revision:
                return found
            await self._make(state)
        found = await self.work.read(self._found, state)
        if found is None or found.revision < state.env.revision:
            raise StoreUnavailable("no bundle can be exported", "no bundle can be exported; try again later")
        return found

    async def base(self, state: ExportState) -> SignedBundle:
        """Returns an export that updates lead on from, made now if there is none. Raises as `bundle`."""
        found = await self.work.read(self._found, state)
        if found is not None:
            newest = await self.update(state, found.revision, with_callers=False)
            if newest is not None:
                return found
        return await self.bundle(state)

    async def update(self, state: ExportState, since: int, with_callers: bool) -> Body | None:
        """Returns the update from `since` to the revision of `state` or a later one, or None if there can be none.

        It carries the list of callers `with_callers`, or if that changed after `state`. Raises as `bundle`.
        """
        key = state.env.uuid, state.etag, since, with_callers
        held = self._held.get(key)
        if held is not None and time.monotonic() - held.made < UPDATE_SECONDS:
            return held
        task = self._signing.get(key)
        if task is None:
            task = self._signing[key] = asyncio.create_task(self._signed(key, state))
            task.add_done_callback(lambda _: self._signing.pop(key, None))
        return await asyncio.shield(task)

    async def _signed(self, key: Key, state: ExportState) -> Body | None:
        _, _, since, with_callers = key
        body = await self.work.read(self._made, state.env.id, since, None if with_callers else state.callers)
        if body is not None:
            self._hold(key, body)
        return body

    def _made(self, environment: str, since: int, known: str | None) -> Body | None:
        with unavailable():
            update = self.updates.update(environment, since, known, self.signer())
        if update is None:
            return None
        compressed = None
        if len(update.data) >= LEAST_COMPRESSED:
            compressed = gzip.compress(update.data, COMPRESSION_LEVEL, mtime=0)
        return Body(update, compressed, time.monotonic())

    def _hold(self, key: Key, body: Body) -> None:
        self._held[key] = body
        self._held.move_to_end(key)
        while len(self._held) > MOST_UPDATES or sum(one.size for one in self._held.values()) > MOST_HELD_BYTES:
            self._held.popitem(last=False)

    def _found(self, state: ExportState) -> SignedBundle | None:
        """In a thread: the newest fresh export."""
        key, now = self.signer().id, self.clock()
        with unavailable():
            return next((one for one in self.files.of(state.env) if is_fresh(one, key, now)), None)

    async def _make(self, state: ExportState) -> None:
        """Makes an export of the newest revision. Those who ask meanwhile share the making."""
        task = self._making.get(state.env.uuid)
        if task is None:
            signer = await self.work.read(self.signer)
            task = self._making.get(state.env.uuid)
            if task is None:
                key, env = signer.pem(), state.env
                making = self._made_apart(ExportRequest(env.id, env.revision, key, self.lifetime))
                task = self._making[env.uuid] = asyncio.create_task(making)
                task.add_done_callback(partial(self._ended, env.uuid))
        await asyncio.shield(task)

    async def _made_apart(self, request: ExportRequest) -> None:
        try:
            await self.work.jobs.run(EXPORT, request)
        except StoreUnavailable as ex:
            failed = "no bundle can be exported"
            raise StoreUnavailable(f"{failed}: {ex}", f"{failed}; the service's log says why") from ex

    def _ended(self, uuid: str, task: "asyncio.Task[None]") -> None:
        del self._making[uuid]
        if not task.cancelled():
            task.exception()  # else asyncio complains if no task waits any more
