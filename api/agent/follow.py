"""Following in an application: `follow` for threads, and `follow_async` for asyncio."""

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

from ...bundles.feed.callers import Callers
from ...runtime.engine import Engine
from ...runtime.rates.rate_table import RateTable
from .following import WRITE_SECONDS, Following, OnStatus
from .options import FollowOptions
from .sources.bundle_head import LONGEST_BUNDLE
from .status import Status

LOOK_SECONDS: Final = 0.005
"""The seconds between two looks of a coroutine that waits for a revision."""

READY_SECONDS: Final = 30.0
"""The time that `follow` waits until something is in force, in seconds."""

AsyncOnStatus: TypeAlias = Callable[[Status], Coroutine[Any, Any, object] | None]


def follow(
    source: str | Path,
    *,
    environment: str | None = None,
    keys: str | bytes | Iterable[str | bytes] | None = None,
    unsigned: bool = False,
    token: str | None = None,
    token_file: str | Path | None = None,
    state: str | Path | None = None,
    min_epoch: int = 0,
    min_revision: int = 0,
    max_staleness: float | None = None,
    poll_seconds: float | None = None,
    ca_file: str | Path | None = None,
    proxy: str | None = None,
    max_bundle_bytes: int = LONGEST_BUNDLE,
    storage_options: Mapping[str, Any] | None = None,
    clock: Callable[[], float] = time.time,
    counters: RateTable | None = None,
    strict: bool = False,
    on_change: OnStatus | None = None,
    on_error: OnStatus | None = None,
    wait_ready: float | None = READY_SECONDS,
) -> Following:
    """Returns an engine that a thread keeps at the newest revision of an environment.

    Args:
        source: The URL of a server of Writ; the path of a bundle file; or the path or URL of a published folder, such
            as `s3://bucket/prod`. A folder on a web server is given by the URL of its index.
        environment: The id or the UUID of the environment. Only a bundle file may have none.
        keys: The texts of PEMs with the public keys that sign the bundles, not paths.
        unsigned: Whether to accept a bundle file without looking at its signature.
        token: The API key or the access token for a server.
        token_file: A file with it, which is read for each request.
        state: A folder for the last good state. A follower loads it when it starts, and several processes share it.
        min_epoch: The least epoch of a bundle.
        min_revision: The least revision of a bundle in this epoch.
        max_staleness: The seconds without a confirmation by the source, after which `engine` raises FollowError.
        poll_seconds: The time between two looks at a file, a folder, or a server that does not wait.
        ca_file: The authorities for the certificate of a server, a web server or S3, instead of those of the system.
        proxy: The URL of an HTTP proxy.
        max_bundle_bytes: The most bytes of a bundle. A longer one is refused before it is written to the disk.
        storage_options: The options of fsspec for a published folder.
        clock: The clock of the engine. It returns epoch seconds.
        counters: The counters of the engine for rate limits, such as `RateCounters()`. Without them, no policy with a
            rate limit ever allows.
        strict: Whether the engine refuses requests with something undeclared, even if the model does not ask for that.
        on_change: Called in the thread, with the status, after another revision came into force.
        on_error: Called in the thread, with the status, after an error that differs from the last one.
        wait_ready: The time in seconds to wait until something is in force, or None.

    Raises:
        ValueError: Parameters do not fit together, or a key can't be used.
        FollowError: Nothing is in force in time, or the state directory can't be used.
        ImportError: The store of a published folder needs another package.
        OSError: A file can't be read.
    """
    # All parameters but those of this thread. A list of them would only repeat their names.
    given = {name: value for name, value in locals().items() if name not in ("on_change", "on_error", "wait_ready")}
    return Following(FollowOptions(**given), on_change, on_error).start(wait_ready)


class AsyncFollowing:
    """An engine that is kept at the newest revision, for asyncio. Its members are those of `Following`."""

    def __init__(self, following: Following):
        self._following = following

    @property
    def engine(self) -> Engine:
        """The engine; see `Following.engine`."""
        return self._following.engine

    @property
    def newest(self) -> Engine | None:
        """The engine in force, however stale, or None if nothing is in force yet."""
        return self._following.newest

    @property
    def callers(self) -> Callers | None:
        """The list of callers that the source sent last, or None."""
        return self._following.callers

    def status(self) -> Status:
        """Returns what is in force, and how fresh it is."""
        return self._following.status()

    def has(self, token: str) -> bool:
        """Returns whether the revision of a token is in force; see `Following.has`."""
        return self._following.has(token)

    async def wait(self, token: str | None, timeout: float = WRITE_SECONDS) -> Engine:
        """Returns the engine, once the revision of a token is in force, or a newer one. None names no write.

        Raises the errors of `Following.wait`.
        """
        if token is None:
            return self.engine
        ends = time.monotonic() + timeout
        while not self.has(token):
            if time.monotonic() >= ends:
                raise self._following.too_late(token, timeout)
            await asyncio.sleep(LOOK_SECONDS)
        return self.engine


@asynccontextmanager
async def follow_async(
    source: str | Path,
    *,
    on_change: AsyncOnStatus | None = None,
    on_error: AsyncOnStatus | None = None,
    **options: Any,
) -> AsyncIterator[AsyncFollowing]:
    """Follows inside `async with`. The parameters and errors are those of `follow`.

    The event loop is not held up: a thread follows. The callbacks run in the loop, and may be coroutine functions.
    """
    loop, tasks = asyncio.get_running_loop(), set[asyncio.Task[object]]()

    def in_loop(callback: AsyncOnStatus | None) -> OnStatus | None:
        if callback is None:
            return None

        def call(status: Status) -> None:
            result = callback(status)
            if inspect.iscoroutine(result):
                task = loop.create_task(result)
                tasks.add(task)
                task.add_done_callback(tasks.discard)

        return lambda status: None if loop.is_closed() else _ignore(loop.call_soon_threadsafe(call, status))

    starting = asyncio.to_thread(follow, source, on_change=in_loop(on_change), on_error=in_loop(on_error), **options)
    following = await starting
    try:
        yield AsyncFollowing(following)
    finally:
        await asyncio.to_thread(following.close)


def _ignore(_: object) -> None:
    """A callback returns nothing."""
