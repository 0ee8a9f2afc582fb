"""The folder of signed bundles: the exports that can be sent again, and that updates lead on from."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from ....bundles.errors import BundleError
from ....bundles.feed.position import manifest_digest
from ....bundles.file.header import decode_header
from ....bundles.file.reader import mapped
from ....bundles.file.sections import Section
from ....bundles.manifest import Manifest, decode_manifest
from ....bundles.signing.claims import BUNDLE
from ....bundles.signing.section import token_of
from ...store.environments import Environment

FOLDER: Final = "exports"
"""In the data directory."""

KEPT: Final = 2
"""The newest exports of an environment that are kept. Agents that have one of them follow by updates."""

COMPRESSED: Final = ".gz"

_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAME: Final = re.compile(rf"({_UUID})-(\d+)-(\d+)-(\d+)\.bundle")
_LEFT: Final = (".unfinished", ".bundle")
_MOST_KNOWN: Final = 1_024


@dataclass(frozen=True, slots=True)
class SignedBundle:
    """A signed bundle file. `issued` is in epoch seconds, `manifest` is the digest of its manifest."""

    path: Path
    uuid: str
    epoch: int
    revision: int
    issued: int
    expires: int
    key: str
    manifest: str
    size: int

    @property
    def etag(self) -> str:
        """The entity tag, without quotes. Another environment or signature is another tag."""
        return f"{self.uuid}.{self.epoch}.{self.revision}.{self.issued}.{self.key}"

    @property
    def compressed(self) -> Path | None:
        """The same file in gzip, if that is smaller."""
        path = self.path.with_name(self.path.name + COMPRESSED)
        return path if path.exists() else None


class ExportFiles:
    """The folder of exports in a data directory. A name has UUID, epoch, revision and time of issue."""

    def __init__(self, directory: Path) -> None:
        """`directory` is the data directory."""
        self.folder = directory / FOLDER

    def path(self, manifest: Manifest, issued: int) -> Path:
        """Returns the path of the export of a bundle with that manifest, signed at `issued`."""
        assert manifest.environment is not None
        uuid, version = manifest.environment.uuid, f"{manifest.epoch}-{manifest.revision}"
        return self.folder / f"{uuid}-{version}-{issued}.bundle"

    def of(self, env: Environment) -> tuple[SignedBundle, ...]:
        """Returns the exports of an environment in its epoch, the newest first.

        Files that can't be read are left out.
        """
        found = [one for one in self._all(env.uuid) if one.epoch == env.epoch]
        return tuple(sorted(found, key=lambda one: (one.revision, one.issued), reverse=True))

    def tidy(self, env: Environment, others: frozenset[str], made: Path) -> None:
        """Removes all but `made` and the newest exports, and those of environments whose UUIDs are not in `others`.

        It also removes the files that a killed process has left. No other process may make an export meanwhile.
        """
        kept = {made.name, *(one.path.name for one in self.of(env)[:KEPT])}
        for name in os.listdir(self.folder):
            plain = name.removesuffix(COMPRESSED)
            match = _NAME.fullmatch(plain)
            if match is None:
                is_needed = not name.endswith(_LEFT)
            else:
                is_needed = plain in kept or (match[1] != env.uuid and match[1] in others)
            if not is_needed:
                (self.folder / name).unlink(missing_ok=True)

    def _all(self, uuid: str) -> Iterator[SignedBundle]:
        try:
            names = [name for name in os.listdir(self.folder) if name.startswith(uuid)]
        except FileNotFoundError:
            return
        for name in names:
            match = _NAME.fullmatch(name)
            if match is not None:
                with suppress(OSError, BundleError):
                    path = self.folder / name
                    yield _read(path, path.stat().st_ino)


@lru_cache(_MOST_KNOWN)
def _read(path: Path, _inode: int) -> SignedBundle:
    """Returns what a file says of itself. It was signed and published by this store, so it is not verified."""
    with path.open("rb") as file:
        data = mapped(file)
    with memoryview(data) as view:
        table = decode_header(view, len(data))
        key, claims = BUNDLE.unverified(token_of(view, table))
        extent = table[Section.MANIFEST]
        manifest = decode_manifest(bytes(view[extent.offset : extent.offset + extent.size]))
    uuid = "" if manifest.environment is None else manifest.environment.uuid
    digest = manifest_digest(manifest)
    return SignedBundle(
        path,
        uuid,
        claims.epoch,
        claims.revision,
        claims.issued,
        claims.expires,
        key,
        digest,
        len(data),
    )
