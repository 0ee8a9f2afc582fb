"""The place that is published to: a folder, or a folder in an object store, by its URL (fsspec)."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import fsspec

from ....bundles.feed.index import INDEX_FILE, LONGEST_INDEX
from ....bundles.publish import published
from ....bundles.system_errors import sentence_of

_FOLDER_MODE: Final = 0o755
_LOCAL: Final = ("file", "local")
_USER: Final = re.compile(r"(?<=://)[^/]*@")
_ODD_USER: Final = re.compile(r"(?<=://)[^/@:]*:.*@")
"""With a password that has a `/`, as keys of object stores do."""

_QUERY: Final = re.compile(r"\?.*", re.DOTALL)


class TargetFailed(Exception):
    """The target can't be read or written. The message is one sentence, without credentials of its URL."""


class FoundFile(NamedTuple):
    """A file in the target, and its time of change in epoch seconds, or None if the store does not tell."""

    name: str
    changed: float | None


class PublishingTarget:
    """A folder in which each file appears whole or not at all. A local file is renamed into place."""

    def __init__(self, url: str) -> None:
        """`url` is a path or a URL like `s3://bucket/folder`. Raises TargetFailed if nothing can read such URLs."""
        self.shown, self._secrets = shown(url), _secrets(url)
        with self._failing("opened"):
            self._files, self._root = fsspec.core.url_to_fs(url, use_listings_cache=False)
        protocol = self._files.protocol
        self._is_local = any(one in _LOCAL for one in ([protocol] if isinstance(protocol, str) else protocol))

    def read_index(self) -> bytes | None:
        """Returns the content of the index file, or None if there is none. Raises TargetFailed."""
        with self._failing("read"):
            try:
                with self._files.open(self._path(INDEX_FILE), "rb") as file:
                    return bytes(file.read(LONGEST_INDEX + 1))
            except FileNotFoundError:
                return None

    def write(self, name: str, content: bytes) -> None:
        """Puts a file. Raises TargetFailed."""
        with self._failing("written"):
            if self._is_local:
                with self._local(name) as file:
                    file.write(content)
            else:
                self._files.pipe_file(self._path(name), content)

    def upload(self, name: str, source: Path) -> None:
        """Puts a copy of a local file. Raises TargetFailed."""
        with self._failing("written"):
            if self._is_local:
                with self._local(name) as file, source.open("rb") as content:
                    while piece := content.read(2**20):
                        file.write(piece)
            else:
                self._files.put_file(str(source), self._path(name))

    def files(self) -> list[FoundFile]:
        """Returns the files in the target. Raises TargetFailed."""
        with self._failing("listed"):
            try:
                found: list[dict[str, Any]] = self._files.ls(self._root, detail=True)
            except FileNotFoundError:
                return []
        return [
            FoundFile(str(one["name"]).rstrip("/").rpartition("/")[2], _changed(one))
            for one in found
            if one["type"] == "file"
        ]

    def remove(self, name: str) -> None:
        """Removes a file, if it is there. Raises TargetFailed."""
        with self._failing("written"):
            try:
                self._files.rm_file(self._path(name))
            except FileNotFoundError:
                return

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"

    @contextmanager
    def _local(self, name: str) -> Iterator[BinaryIO]:
        """Yields a file that everybody may read who may read its folder, whatever the umask: that is its purpose."""
        path = Path(self._path(name))
        _make(path.parent)
        with published(path) as file:
            os.fchmod(file.fileno(), 0o600 | path.parent.stat().st_mode & 0o044)
            yield file

    @contextmanager
    def _failing(self, done: str) -> Iterator[None]:
        """Turns whatever a library of an object store raises into TargetFailed. There is no common class of errors."""
        try:
            yield
        except Exception as ex:
            reason = sentence_of(ex)
            for secret in self._secrets:  # a library may quote the URL, or what it takes for a name in it
                reason = reason.replace(secret, "…")
            reason = " ".join(reason.split())[:300] or type(ex).__name__
            raise TargetFailed(f"`{self.shown}` can't be {done}: {reason}") from ex


def _make(folder: Path) -> None:
    """Makes a folder for all readers. One that is there keeps its mode."""
    if folder.is_dir():
        return
    _make(folder.parent)
    folder.mkdir(exist_ok=True)
    folder.chmod(_FOLDER_MODE)


def shown(url: str) -> str:
    """Returns a URL without user names, passwords and query.

    >>> shown("s3://key:secret@bucket/folder"), shown("https://host/folder?sig=secret"), shown("/var/www/bundles")
    ('s3://bucket/folder', 'https://host/folder', '/var/www/bundles')
    """
    return _QUERY.sub("", _ODD_USER.sub("", _USER.sub("", url))) if "://" in url else url


def _secrets(url: str) -> list[str]:
    """Returns what `shown` leaves out, and the passwords alone."""
    if "://" not in url:
        return []
    users, queries = _USER.findall(url) + _ODD_USER.findall(url), [found[1:] for found in _QUERY.findall(url)]
    passwords = [user.removesuffix("@").partition(":")[2] for user in users]
    return [secret for secret in (*users, *queries, *passwords) if secret]


def _changed(found: dict[str, Any]) -> float | None:
    for name in ("mtime", "LastModified", "last_modified", "updated", "created"):
        value = found.get(name)
        if isinstance(value, int | float):
            return float(value)
        if isinstance(value, datetime):
            return value.timestamp()
    return None
