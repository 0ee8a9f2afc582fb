"""Makes an export: a bundle of a revision at least, signed, in the folder of exports."""

import fcntl
import gzip
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from ....bundles.errors import BundleError
from ....bundles.file.header import check_section
from ....bundles.file.reader import open_bundle
from ....bundles.publish import published
from ....bundles.signing.pem_keys import SigningKey
from ....bundles.signing.sign import sign
from ...store.errors import StoreUnavailable
from ...store.store import Store
from ..live.bundle_files import BundleFiles
from ..live.data_directory import open_lock
from ..live.import_model import builder_lock
from .export_files import COMPRESSED, ExportFiles, SignedBundle

COMPRESSION_LEVEL: Final = 1
"""The lowest level of gzip: the files are large, and higher levels gain little."""

WORTH_COMPRESSING: Final = 0.9
"""A compressed file is kept if it has at most this part of the bytes."""

_LOCK: Final = "exports.lock"


class ExportMaker:
    """Makes exports in one process. Several processes take turns, and each uses what another has made."""

    def __init__(self, directory: Path, store: Store, clock: Callable[[], float]) -> None:
        """`directory` is the data directory. `clock` gives epoch seconds."""
        self.files = ExportFiles(directory)
        self._directory, self._store, self._clock = directory, store, clock

    def export(self, environment: str, revision: int, key: SigningKey, lifetime: int) -> SignedBundle:
        """Returns an export of `revision` or later, fresh from this `key`. Makes one if there is none.

        `lifetime` is in seconds. Raises NotFound, StoreUnavailable, OSError.
        """
        self.files.folder.mkdir(mode=0o700, exist_ok=True)
        with open_lock(self._directory / _LOCK) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            env = self._store.environment(environment)
            for one in self.files.of(env):
                if one.revision >= revision and is_fresh(one, key.id, self._clock()):
                    return one
            path = self._made(environment, env.revision, key, lifetime)  # the newest, for all who share it
            env = self._store.environment(environment)
            others = frozenset(other.uuid for other in self._store.environments())
            self.files.tidy(env, others, path)
            found = next((one for one in self.files.of(env) if one.path == path), None)
            if found is None:
                raise StoreUnavailable(f"`{environment}` was deleted and made again meanwhile; try again")
            return found

    def _made(self, environment: str, revision: int, key: SigningKey, lifetime: int) -> Path:
        built = self._built(environment, revision)
        issued = int(self._clock())
        path = self.files.path(open_bundle(built).manifest, issued)
        with built.open("rb") as source, published(path) as file:
            shutil.copyfileobj(source, file)
            sign(file, key, issued, lifetime)
            file.flush()
            os.fchmod(file.fileno(), 0o600)
            _compress(file, path)
        return path

    def _built(self, environment: str, revision: int) -> Path:
        """Returns a bundle without a signature."""
        bundles = BundleFiles(self._directory, self._store)
        with builder_lock(self._directory):
            found = bundles.recorded(environment, revision)
            return bundles.build(environment) if found is None or not _is_sound(found) else found


def is_fresh(bundle: SignedBundle, key: str, now: float) -> bool:
    """Returns whether an export can be sent at `now` (epoch seconds): it is signed with `key`, and half its time is
    left.
    """
    return bundle.key == key and bundle.issued <= now < (bundle.issued + bundle.expires) / 2


def _is_sound(path: Path) -> bool:
    """Returns whether a bundle is as it was written. Damage on the disk must not get a signature."""
    try:
        bundle = open_bundle(path)
        with memoryview(bundle.data) as view:
            for name, extent in bundle.sections.items():
                check_section(view, name, extent)
    except BundleError:
        return False
    return True


def _compress(file: BinaryIO, path: Path) -> None:
    """Writes the file again in gzip beside `path`, if that is worth it."""
    beside = path.with_name(path.name + COMPRESSED)
    file.seek(0)
    with published(beside) as target:
        os.fchmod(target.fileno(), 0o600)
        with gzip.GzipFile("", "wb", COMPRESSION_LEVEL, target, mtime=0) as packed:
            shutil.copyfileobj(file, packed)
        size = target.tell()
    if size > WORTH_COMPRESSING * os.fstat(file.fileno()).st_size:
        beside.unlink()
