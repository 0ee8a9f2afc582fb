"""Accepts bundles, updates and lists of callers of one environment, if their signature is right."""

from dataclasses import dataclass
from pathlib import Path

from ...bundles.errors import WrongEnvironment
from ...bundles.feed.callers import Callers, verified_callers
from ...bundles.feed.index import Index, verified_index
from ...bundles.feed.position import Position, manifest_digest
from ...bundles.feed.update import Update, verified_update
from ...bundles.file.reader import Bundle, open_bundle
from ...bundles.manifest import Manifest
from ...bundles.signing.pem_keys import Pem, read_public_keys
from ...bundles.signing.signature_check import names, open_verified_bundle
from ...bundles.wording import quoted


@dataclass(frozen=True, slots=True)
class Trust:
    """The wanted environment (its UUID or id, or None for a bundle that was compiled from files), and the keys.

    `keys` are the texts of PEMs. None accepts a bundle without looking at its signature. Raises
    UnusableBundleKey if a key can't be used.
    """

    environment: str | None
    keys: tuple[Pem, ...] | None

    def __post_init__(self) -> None:
        if self.keys is not None:
            read_public_keys(self.keys)

    def bundle(self, path: Path, now: float | None, uuid: str | None = None, min_epoch: int = 0) -> Bundle:
        """Returns the bundle in a file. `uuid` is that of the environment, if it is known already.

        `now` is in epoch seconds, or None for a bundle that was accepted before. Raises BundleError and OSError.
        """
        wanted = uuid or self.environment
        if self.keys is not None:
            bundle, _ = open_verified_bundle(path, self.keys, wanted, now, min_epoch)
        else:
            bundle = open_bundle(path)
            _check_environment(bundle.manifest, wanted)
        return bundle

    def update(self, data: bytes, now: float | None) -> Update:
        """Returns an update. `now` is as for `bundle`. Raises BundleError."""
        return verified_update(data, self._known(), now)

    def callers(self, token: bytes, now: float | None, uuid: str, earlier: Callers | None) -> Callers:
        """Returns a list of callers that follows the `earlier` one. `now` is as for `bundle`. Raises BundleError."""
        callers = verified_callers(token, self._known(), now)
        callers.check_follows(uuid, earlier)
        return callers

    def index(self, token: bytes, now: float) -> Index:
        """Returns the index of a published folder of the environment. Raises BundleError."""
        index = verified_index(token, self._known(), now)
        if self.environment is None or not names(self.environment, index.environment):
            raise WrongEnvironment(f"the index belongs to another environment: {quoted(index.environment.id)}")
        return index

    def _known(self) -> tuple[Pem, ...]:
        return self.keys or ()


def position_in(bundle: Bundle) -> Position:
    """Returns the position of a bundle. If it was compiled from files, its environment is empty."""
    manifest = bundle.manifest
    uuid = "" if manifest.environment is None else manifest.environment.uuid
    return Position(uuid, manifest.epoch, manifest.revision, manifest_digest(manifest))


def _check_environment(manifest: Manifest, wanted: str | None) -> None:
    """Raises WrongEnvironment for another environment than the wanted one. None accepts any."""
    found = manifest.environment
    if wanted is not None and (found is None or not names(wanted, found)):
        raise WrongEnvironment(f"the bundle does not belong to the environment {quoted(wanted)}")
