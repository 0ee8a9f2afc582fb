"""The newest state of each environment, and those who wait for another one, without a thread for each."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextvars import Context
from dataclasses import dataclass
from typing import Final

from ...identity.keys.signing_keys import Keys
from ...store.database.watch import Version
from ...store.environments import Environment
from ..live.store_work import StoreWork
from .callers_list import CallersLists
from .updates import state_tag

LOOK_SECONDS: Final = 0.05
"""The seconds between two looks of a worker for a commit, while a request waits."""

KEYS_SECONDS: Final = 1.0
"""The seconds between two looks for a change of the keys of access tokens."""

WOKEN_AT_ONCE: Final = 16
"""Waiting requests that go on at once. Decisions have their turn before the next ones."""

MOST_WAITS: Final = 2
"""The second reading began after the request came, so it has every commit that its client knows of."""

_MOST_KNOWN: Final = 10_000


@dataclass(frozen=True, slots=True)
class ExportState:
    """An environment at its newest revision, and the tag of its list of callers. The rest says what that depends on."""

    env: Environment
    callers: str
    generation: int
    keys: Keys

    @property
    def etag(self) -> str:
        """The entity tag of the state, without quotes."""
        return state_tag(self.env, self.callers)


class States:
    """The states of one worker's environments. Only the thread of the event loop uses it."""

    def __init__(self, work: StoreWork, lists: CallersLists, clock: Callable[[], float], most: int) -> None:
        """At most `most` requests wait; more are answered at once. `clock` gives epoch seconds."""
        self._work, self._lists, self._clock, self._most = work, lists, clock, most
        self._known: dict[str, tuple[Version, ExportState]] = {}
        self._reading: dict[str, asyncio.Task[ExportState]] = {}
        self._waiting: dict[str, dict[asyncio.Future[None], str]] = defaultdict(dict)
        self._count = 0
        self._looking: asyncio.Task[None] | None = None
        self._service = Context()  # shared work belongs to no caller, so that no caller's queue delays it
        self._stopped = False

    async def of(self, id: str) -> ExportState:
        """Returns the newest state of an environment. Raises NotFound, StoreUnavailable."""
        for _ in range(MOST_WAITS):
            known = self._known.get(id)
            if known is not None and known[0] == self._work.store.watch.version():
                return known[1]
            state = await self._read(id)
        return state

    async def after(self, known: ExportState, seconds: float) -> ExportState:
        """Returns the state that follows `known`, as soon as there is one, or the same after `seconds`.

        Raises NotFound if the environment is deleted, StoreUnavailable.
        """
        id, until = known.env.id, asyncio.get_running_loop().time() + seconds
        state = await self.of(id)
        while state.etag == known.etag and not self._stopped and self._count < self._most:
            if not await self._woken(known, until):
                break
            state = await self.of(id)
        return state

    async def after_revision(self, known: ExportState, seconds: float) -> ExportState:
        """Returns the state of the next revision, as `after` does. Other changes do not count."""
        until = asyncio.get_running_loop().time() + seconds
        state = known
        while (state.env.uuid, state.env.epoch, state.env.revision) == (
            known.env.uuid,
            known.env.epoch,
            known.env.revision,
        ):
            left = until - asyncio.get_running_loop().time()
            newer = await self.after(state, left)
            if newer is state or newer.etag == state.etag:
                return newer
            state = newer
        return state

    def stop(self) -> None:
        """Let everybody go who waits: the worker ends."""
        self._stopped = True
        for futures in self._waiting.values():
            for future in futures:
                _wake(future)

    async def _woken(self, known: ExportState, until: float) -> bool:
        """Waits until the state of an environment may have changed. Returns False if the time is over."""
        id = known.env.id
        if self._looking is None:
            self._looking = asyncio.create_task(self._look(), context=self._service)
        future = asyncio.get_running_loop().create_future()
        self._waiting[id][future] = known.etag
        self._count += 1
        try:
            async with asyncio.timeout_at(until):
                await future
        except TimeoutError:
            return False
        finally:
            self._count -= 1
            del self._waiting[id][future]
            if not self._waiting[id]:
                del self._waiting[id]
        return True

    async def _look(self) -> None:
        """Wakes those whose environment changed, for as long as anybody waits."""
        version: Version | None = None
        keys_due = 0.0
        try:
            while self._waiting and not self._stopped:
                now = asyncio.get_running_loop().time()
                try:
                    newest = self._work.store.watch.version()
                except Exception:  # each of them finds out
                    newest = None
                if newest != version or now >= keys_due:
                    version, keys_due = newest, now + KEYS_SECONDS
                    await self._wake_changed()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            self._looking = None

    async def _wake_changed(self) -> None:
        for id in list(self._waiting):
            try:
                await self._read(id)  # keys change without a commit
                newest = (await self.of(id)).etag  # that reading may have begun before the commit
            except Exception:  # each of them finds out; nothing else would wake them
                newest = ""
            waiting = self._waiting.get(id, {})
            await _wake_in_turn([future for future, known in waiting.items() if known != newest])

    async def _read(self, id: str) -> ExportState:
        """Returns a state that is read now. Those who ask meanwhile share the reading."""
        task = self._reading.get(id)
        if task is None:
            task = self._reading[id] = asyncio.create_task(self._read_anew(id), context=self._service)
            task.add_done_callback(lambda _: self._reading.pop(id, None))
        return await asyncio.shield(task)

    async def _read_anew(self, id: str) -> ExportState:
        known = self._known.get(id)
        version = self._work.store.watch.version()
        state = await self._work.read(self._loaded, id, None if known is None else known[1])
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[id] = version, state
        return state

    def _loaded(self, id: str, before: ExportState | None) -> ExportState:
        """In a thread: the state, with the old tag if nothing that it depends on changed."""
        store, keys = self._work.store, self._lists.ring.keys()
        env, generation = store.environment(id), store.credentials.generation()
        if (
            before is not None
            and before.keys is keys
            and (before.env.uuid, before.generation) == (env.uuid, generation)
        ):
            return ExportState(env, before.callers, generation, keys)
        admitted = store.credentials.admitted(env.uuid)
        return ExportState(env, self._lists.callers(env, admitted, self._clock()).tag, admitted.generation, keys)


async def _wake_in_turn(futures: Iterable[asyncio.Future[None]]) -> None:
    for number, future in enumerate(futures, 1):
        _wake(future)
        if number % WOKEN_AT_ONCE == 0:
            await asyncio.sleep(0)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
