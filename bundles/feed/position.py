"""A position in the history of an environment: what an agent has, and which bundle it has it from."""

from hashlib import sha256
from typing import NamedTuple

from ..errors import WrongEnvironment
from ..file.reader import Bundle
from ..manifest import Environment, Manifest, encode_manifest
from ..wording import quoted


class Position(NamedTuple):
    """The environment (its UUID), epoch and revision in force, and the digest of the manifest of their bundle."""

    environment: str
    epoch: int
    revision: int
    manifest: str


def position_of(bundle: Bundle) -> Position:
    """Returns the position of a bundle itself. Raises WrongEnvironment if it belongs to no environment."""
    manifest = bundle.manifest
    if manifest.environment is None:
        raise WrongEnvironment("the bundle belongs to no environment, so nothing can follow it")
    return Position(manifest.environment.uuid, manifest.epoch, manifest.revision, manifest_digest(manifest))


def manifest_digest(manifest: Manifest) -> str:
    """Returns the SHA-256 of a manifest as it stands in its bundle, in hexadecimal."""
    return sha256(encode_manifest(manifest)).hexdigest()


def refuse_other_environment(signed: str, found: Environment, uuid: str) -> None:
    """Raises WrongEnvironment if a message belongs to another environment than the one with this UUID."""
    if found.uuid != uuid:
        raise WrongEnvironment(f"{signed} belongs to another environment: {quoted(found.id)} ({found.uuid})")
