"""The options of a follower: checked once, and opened again in each process."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ...bundles.feed.index import INDEX_FILE
from ...bundles.signing.pem_keys import Pem
from ...runtime.engine import Engine
from ...runtime.rates.rate_table import RateTable
from .follower import WAIT_SECONDS, Follower
from .in_force import Events
from .sources.bundle_head import LONGEST_BUNDLE
from .sources.bundle_source import BundleSource
from .sources.file_source import LOOK_SECONDS, FileSource
from .sources.upstream import Upstream, UpstreamLimits, checked_token, token_in
from .state.directory import StateDirectory
from .trust import Trust

_KEY_MISSING = (
    "give `keys`, the text of a PEM with the public key that signs the bundles;"
    " or `unsigned=True`, for a file that only you can write"
)


@dataclass(frozen=True, slots=True)
class FollowOptions:
    """The parameters of `follow`, which describes them. Raises ValueError for those that do not fit together."""

    source: str | Path
    environment: str | None = None
    keys: Pem | Iterable[Pem] | None = None
    unsigned: bool = False
    token: str | None = field(default=None, repr=False)
    token_file: str | Path | None = None
    state: str | Path | None = None
    min_epoch: int = 0
    min_revision: int = 0
    max_staleness: float | None = None
    poll_seconds: float | None = None
    ca_file: str | Path | None = None
    proxy: str | None = None
    max_bundle_bytes: int = LONGEST_BUNDLE
    storage_options: Mapping[str, Any] | None = None
    clock: Callable[[], float] = time.time
    counters: RateTable | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        if self.keys is not None and not isinstance(self.keys, str | bytes):
            object.__setattr__(self, "keys", tuple(self.keys))  # it may be an iterator
        if self.keys is None and not self.unsigned:
            raise ValueError(_KEY_MISSING)
        if self.keys is not None and self.unsigned:
            raise ValueError("give `keys` or `unsigned`, not both")
        if self.unsigned and not self.is_file:
            raise ValueError("only a bundle file may be unsigned; give `keys`")
        if self.environment is None and not self.is_file:
            raise ValueError("give `environment`, the id or the UUID of the environment to follow")
        if (self.token is not None or self.token_file is not None) and not self.is_upstream:
            raise ValueError("only a server takes a token")
        if self.token is not None and self.token_file is not None:
            raise ValueError("give `token` or `token_file`, not both")
        self.trust()

    @property
    def is_upstream(self) -> bool:
        """True if the source is a server of Writ."""
        return self._url.startswith(("http://", "https://")) and not self._url.endswith(f"/{INDEX_FILE}")

    @property
    def is_file(self) -> bool:
        """True if the source is a bundle file. The path of a folder, and any other URL, is a published folder."""
        return "://" not in self._url and not self._url.endswith(("/", INDEX_FILE)) and not Path(self._url).is_dir()

    @property
    def _url(self) -> str:
        return str(self.source)

    def trust(self) -> Trust:
        """Returns what is accepted. Raises UnusableBundleKey, which is a ValueError."""
        keys = (self.keys,) if isinstance(self.keys, str | bytes) else None if self.keys is None else tuple(self.keys)
        return Trust(self.environment, keys)

    def open_source(self) -> BundleSource:
        """Returns the source. Raises ValueError, ImportError and OSError if it can't be one."""
        if self.is_upstream:
            return self._upstream()
        if self.is_file:
            return FileSource(Path(self.source), self.poll_seconds or LOOK_SECONDS)
        # Imported here, so that an application that follows a server does not load the stores.
        from .sources.published import POLL_SECONDS, FolderSource

        return FolderSource(
            folder_of(self._url),
            self.trust(),
            interval=self.poll_seconds or POLL_SECONDS,
            options=self.storage_options,
            ca_file=None if self.ca_file is None else str(self.ca_file),
            proxy=self.proxy,
            longest=self.max_bundle_bytes,
        )

    def _upstream(self) -> Upstream:
        assert self.environment is not None
        credential, token = None, self.token
        if self.token_file is not None:
            credential = token_in(Path(self.token_file))
        elif token is not None:
            credential = partial(checked_token, token)
        limits = UpstreamLimits(bundle=self.max_bundle_bytes)
        if self.poll_seconds is not None:
            limits = replace(limits, interval=self.poll_seconds)
        return Upstream(
            self._url,
            self.environment,
            credential,
            ca_file=None if self.ca_file is None else str(self.ca_file),
            proxy=self.proxy,
            limits=limits,
        )

    def open(self, events: Events, engine: Engine | None = None) -> tuple[BundleSource, Follower]:
        """Returns the source and a follower of it, which is not opened yet. Raises what `open_source` raises.

        `engine` is one to go on with, in a forked process.
        """
        source = self.open_source()
        follower = Follower(
            source,
            self.trust(),
            None if self.state is None else StateDirectory(Path(self.state)),
            engine=engine,
            floor=(self.min_epoch or int(self.min_revision > 0), self.min_revision),
            max_staleness=self.max_staleness,
            longest=self.max_bundle_bytes,
            wait=WAIT_SECONDS if self.max_staleness is None else min(WAIT_SECONDS, self.max_staleness / 2),
            clock=self.clock,
            counters=self.counters,
            strict=self.strict,
            events=events,
        )
        return source, follower


def published_source(target: str) -> str:
    """Returns the `source` for a published folder, which is given by its path or URL, or by that of its index.

    >>> published_source("https://host/prod/"), published_source("https://host/prod/writ-index.jws")
    ('https://host/prod/writ-index.jws', 'https://host/prod/writ-index.jws')
    """
    return f"{folder_of(target)}{INDEX_FILE}"


def folder_of(source: str) -> str:
    """Returns the path or URL of a published folder, with a `/` at its end.

    >>> folder_of("published"), folder_of("published/writ-index.jws"), folder_of("writ-index.jws")
    ('published/', 'published/', './')
    """
    folder = source.rstrip("/")
    if folder == INDEX_FILE:
        return "./"
    return f"{folder.removesuffix(f'/{INDEX_FILE}')}/"
