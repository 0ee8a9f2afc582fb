"""A published folder as a source, in any store that fsspec knows: S3, Google Cloud Storage, a web server, a disk."""

import hashlib
import re
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import fsspec
from fsspec.asyn import AsyncFileSystem

from ....bundles.errors import BundleError, OlderBundle
from ....bundles.feed.callers import LONGEST_CALLERS
from ....bundles.feed.index import INDEX_FILE, LONGEST_INDEX, Index, PublishedFile
from ....bundles.feed.position import Position, refuse_other_environment
from ....bundles.feed.update import LONGEST_UPDATE
from ..trust import Trust
from .bundle_head import LONGEST_BUNDLE, check_size
from .bundle_source import Answer, Ask, FetchedBundle, FetchedUpdate, Interrupted, SourceError, Unchanged
from .download import Download, new_download
from .web_folder import WebFolder

POLL_SECONDS: Final = 5.0
"""The seconds between two reads of the index."""

CALL_SECONDS: Final = 60.0
"""The longest time of one call to a store, in seconds, where fsspec can bound it."""

_WEB: Final = ("http://", "https://")
_USER: Final = re.compile("//[^/@]*@")
_PIECE: Final = 8 * 1024 * 1024


class FolderSource:
    """The folder at `url`, which `writ publish` writes: a path, or a URL such as `s3://bucket/prod`.

    `trust` verifies the index. `interval` is in seconds. `options` are those of fsspec for the store. A web server is
    read without fsspec, unless there are options. `ca_file` and `proxy` are those of `SourceConnection`, for a web
    server; S3 takes `ca_file` too. A bundle has at most `longest` bytes. `clock` gives epoch seconds.

    Raises ValueError for a URL that fsspec does not know or a `ca_file` that it does not take, OSError if that can't be
    read, and ImportError if fsspec lacks a package.
    """

    def __init__(
        self,
        url: str,
        trust: Trust,
        *,
        interval: float = POLL_SECONDS,
        options: Mapping[str, Any] | None = None,
        ca_file: str | None = None,
        proxy: str | None = None,
        longest: int = LONGEST_BUNDLE,
        clock: Callable[[], float] = time.time,
    ):
        self._trust, self._clock, self._longest = trust, clock, longest
        self.name, self.interval = f"`{_USER.sub('//', url)}`", interval
        self._web = WebFolder(url, ca_file, proxy) if url.startswith(_WEB) and not options else None
        self._store: Any = self._web
        if self._web is None:
            self._store, self._folder = fsspec.url_to_fs(url, **_with_authorities(url, dict(options or {}), ca_file))
        else:
            self._folder = self._web.path
        self._bounds: dict[str, float] = {"timeout": CALL_SECONDS} if isinstance(self._store, AsyncFileSystem) else {}
        self._token = b""
        self._index: Index | None = None
        self._callers: PublishedFile | None = None
        self._download: Download | None = None
        self._hash = hashlib.sha256()
        self._goes_on = self._interrupted = False

    def fetch(self, ask: Ask) -> Answer:
        """See `BundleSource`. An index that was read a moment ago is used until its updates are fetched."""
        index = self._index if self._goes_on and self._index is not None else self._read_index()
        self._goes_on, position = False, ask.position
        if position is not None:
            refuse_other_environment("the index", index.environment, position.environment)
        if position is not None and (position.epoch, position.revision) > (index.epoch, index.revision):
            raise OlderBundle(f"the index of {self.name} is older than what is in force")
        if position is None or position.epoch != index.epoch:
            answer = self._bundle(index, ask)
        elif position.revision == index.revision:
            answer = self._unchanged(index)
        else:
            answer = self._update(index, position, ask) or self._bundle(index, ask)
        self._goes_on = not isinstance(answer, Unchanged)
        return answer

    def _read_index(self) -> Index:
        """Returns the index of the folder. Raises SourceError, and BundleError if it is not genuine, or is older."""
        token, now, earlier = self._read(INDEX_FILE, 0, LONGEST_INDEX + 1), self._clock(), self._index
        if earlier is not None and token == self._token and now < earlier.expires:
            return earlier
        index = self._trust.index(token, now)
        index.check_follows(index.environment.uuid if earlier is None else earlier.environment.uuid, earlier)
        self._token, self._index = token, index
        return index

    def _unchanged(self, index: Index) -> Unchanged:
        return Unchanged(f"{index.epoch}.{index.number}", self._new_callers(index), float(index.issued))

    def _update(self, index: Index, position: Position, ask: Ask) -> Answer | None:
        """Returns the update that leads on from a position, or None if there is none."""
        found = next((one for one in index.updates if one.parent == position.revision), None)
        if found is None:
            return None
        if ask.tag == found.file.name:
            return Unchanged(ask.tag)
        data = self._content(found.file, LONGEST_UPDATE)
        return FetchedUpdate(data, found.file.name, self._new_callers(index), float(index.issued))

    def _bundle(self, index: Index, ask: Ask) -> Answer:
        file = index.bundle.file
        if ask.tag == file.name:
            return Unchanged(ask.tag)
        check_size(file.size, self._longest)
        download = self._download
        if download is None or download.tag != file.name:
            self._forget_download()
            download, self._hash = new_download(ask.folder, file.name, self._longest), hashlib.sha256()
            self._download = download
        try:
            while download.size < file.size:
                piece = self._part(file, download.size, min(download.size + _PIECE, file.size))
                download.add([piece], download.size)
                self._hash.update(piece)
        except (OSError, BundleError):
            self._forget_download()
            raise
        self._download = None
        if self._hash.hexdigest() != file.digest:
            download.remove()
            raise SourceError(f"the file `{file.name}` in {self.name} is not the one that the index names")
        return FetchedBundle(download.path, file.name, callers=self._new_callers(index))

    def _new_callers(self, index: Index) -> bytes | None:
        """Returns the list of callers, if it is another one than last time."""
        file = index.callers
        if file is None or file == self._callers:
            return None
        token = self._content(file, LONGEST_CALLERS)
        self._callers = file
        return token

    def _content(self, file: PublishedFile, most: int) -> bytes:
        if file.size > most:
            raise SourceError(f"the file `{file.name}` in {self.name} has {file.size} bytes, more than {most}")
        content = self._part(file, 0, file.size)
        if hashlib.sha256(content).hexdigest() != file.digest:
            raise SourceError(f"the file `{file.name}` in {self.name} is not the one that the index names")
        return content

    def _part(self, file: PublishedFile, start: int, end: int) -> bytes:
        found = self._read(file.name, start, end) if start < end else b""
        if len(found) != end - start:
            raise SourceError(f"the file `{file.name}` in {self.name} is truncated")
        return found

    def _read(self, name: str, start: int, end: int) -> bytes:
        """Returns a part of a file, up to its end. Each store raises its own errors."""
        if self._interrupted:
            raise Interrupted
        try:
            # Stores differ in the order of their parameters, so these are named.
            return bytes(self._store.cat_file(f"{self._folder}/{name}", start=start, end=end, **self._bounds))
        except Interrupted:
            raise
        except FileNotFoundError:
            raise SourceError(f"{self.name} has no file `{name}`") from None
        except Exception as ex:
            said = f"`{name}` can't be read from {self.name}: {_sentence(ex)}"
            raise SourceError(said, is_away=name == INDEX_FILE and getattr(ex, "is_away", True)) from None

    def interrupt(self) -> None:
        """See `BundleSource`. A call to an object store that goes on ends first."""
        self._interrupted = True
        if self._web is not None:
            self._web.interrupt()

    def close(self) -> None:
        """See `BundleSource`."""
        if self._web is not None:
            self._web.close()
        self._forget_download()

    def _forget_download(self) -> None:
        if self._download is not None:
            self._download.remove()
            self._download = None


def _with_authorities(url: str, options: dict[str, Any], ca_file: str | None) -> dict[str, Any]:
    """Returns the options of fsspec, with the file of authorities for the certificate of the store."""
    if ca_file is None:
        return options
    if url.startswith(_WEB):
        return {"ssl": ssl.create_default_context(cafile=ca_file), **options}
    if not url.startswith("s3://"):
        raise ValueError("`ca_file` is for a web server or S3; tell any other store by its own options")
    return {**options, "client_kwargs": {"verify": ca_file, **options.get("client_kwargs", {})}}


def _sentence(error: Exception) -> str:
    """Returns an error of a store on one line. Its text may be anything."""
    text = (getattr(error, "strerror", None) or str(error) or type(error).__name__)[:200]
    return "".join(one if one.isprintable() else " " for one in text)
