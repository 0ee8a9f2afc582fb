"""The bundle files of the environments: their folder, and how one is built from the store."""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from ....bundles import zones
from ....bundles.errors import BundleError
from ....bundles.file.in_memory import bundle_in_memory
from ....bundles.file.reader import Bundle, open_bundle
from ....bundles.manifest import Environment as Origin
from ....bundles.progress import Progress
from ....bundles.publish import published
from ....compiler.compile import compile_model
from ....compiler.model.elements import Model
from ...store.environments import Environment
from ...store.gateway_settings import read_gateway
from ...store.history.revision_updates import Updates
from ...store.models.reading import KnownModel
from ...store.store import Store

FOLDER = "bundles"


@dataclass(frozen=True, slots=True)
class BundleFile:
    """A bundle file as it was opened. By now another file may have its path."""

    path: Path
    inode: int


class NewestBundle(NamedTuple):
    """The newest bundle of an environment, the file that it is mapped from, and the updates since."""

    updates: Updates
    bundle: Bundle
    file: BundleFile


class NoBundle(Exception):
    """No bundle file leads to the environment's newest revision, so a new bundle must be built."""

    def __init__(self) -> None:
        super().__init__("it has no bundle yet, or lost it")


def empty_bundle(env: Environment) -> Bundle:
    """Returns the bundle of an environment's empty model, in memory."""
    compiled = compile_model(Model(), zones.zone_data, zones.VERSION)
    manifest = msgspec.structs.replace(compiled.manifest, environment=Origin(env.id, env.uuid), epoch=env.epoch)
    return bundle_in_memory(replace(compiled, manifest=manifest).write)


class BundleFiles:
    """The folder of bundle files beside a store. A file name has the environment's UUID, epoch and revision."""

    def __init__(self, directory: Path, store: Store):
        """`directory` is the data directory."""
        self._folder = directory / FOLDER
        self._store = store

    def build(self, environment: str, progress: Progress = lambda *_: None, known: KnownModel | None = None) -> Path:
        """Compile the current model of an environment, publish and record the bundle, and remove the earlier ones.

        `known` replaces the read from the store if it is the current model. A million grants take half a minute, so run
        this at start or in a separate process. Raises NotFound, StoreUnavailable, OSError.
        """
        self._folder.mkdir(mode=0o700, exist_ok=True)
        env, path = self._written(environment, progress, known)
        self._store.record_bundle(env, env.revision, path.name)
        self._remove_older(env, path)
        return path

    def newest(self, environment: str) -> NewestBundle:
        """Returns the newest bundle of an environment, and the updates since.

        A new environment needs no file: its updates start from an empty model. Raises NotFound, StoreUnavailable, or
        NoBundle if there is no bundle or it can't be read.
        """
        updates = self._store.updates(environment)
        if updates.bundle is None:
            if not updates.are_complete:
                raise NoBundle
            env = updates.env
            return NewestBundle(updates, empty_bundle(env), BundleFile(self._folder / f"{env.uuid}-none", -1))
        path = self._folder / updates.bundle[1]
        try:
            # The inode is read first: if another file takes the path meanwhile, `discard` removes nothing.
            file = BundleFile(path, path.stat().st_ino)
            return NewestBundle(updates, open_bundle(path), file)
        except OSError:
            raise NoBundle from None
        except BundleError:
            self.discard(file)
            raise NoBundle from None

    def discard(self, file: BundleFile) -> None:
        """Remove a damaged bundle, so that no process starts from it, unless another file has its path.

        The store has all data.
        """
        with suppress(OSError):
            if file.path.stat().st_ino == file.inode:
                file.path.unlink()

    def recorded(self, environment: str, revision: int) -> Path | None:
        """Returns the recorded bundle, if it is of that revision or a later one and its file exists.

        Raises NotFound.
        """
        recorded = self._store.updates(environment).bundle
        path = None if recorded is None or recorded[0] < revision else self._folder / recorded[1]
        return path if path is not None and path.exists() else None

    def _written(
        self,
        environment: str,
        progress: Progress = lambda *_: None,
        known: KnownModel | None = None,
    ) -> tuple[Environment, Path]:
        with self._store.streamed_model(environment, known) as (env, model, grants):
            compiled = compile_model(model, zones.zone_data, zones.VERSION, read_gateway(env), grants)
        origin = Origin(env.id, env.uuid)
        manifest = msgspec.structs.replace(
            compiled.manifest,
            environment=origin,
            epoch=env.epoch,
            revision=env.revision,
            provenance=None if env.provenance is None else msgspec.json.decode(env.provenance),
        )
        path = self._folder / f"{env.uuid}-{env.epoch}-{env.revision}.bundle"
        with published(path) as file:
            replace(compiled, manifest=manifest).write(file, progress)
        return env, path

    def _remove_older(self, env: Environment, kept: Path) -> None:
        """Remove bundles without a reference, those of deleted environments too.

        A process that has mapped a file keeps it.
        """
        others = {other.uuid for other in self._store.environments()} - {env.uuid}
        for file in self._folder.glob("*.bundle"):
            if file != kept and not any(file.name.startswith(uuid) for uuid in others):
                file.unlink(missing_ok=True)
