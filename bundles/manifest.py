"""The manifest: what a bundle is of, without anything that changes between two compilations of the same model."""

from typing import Any

import msgspec

from bundles.errors import UNREADABLE, BundleError


class Environment(msgspec.Struct, frozen=True):
    """The environment that a bundle belongs to: a name for people and a UUID for everything else."""

    id: str
    uuid: str


class Manifest(msgspec.Struct, frozen=True):
    """Digests are hexadecimal SHA-256: `source` of the normalised model, `parent` of the bundle that this one follows.

    `environment` is None for a bundle that was compiled from files. No time, user, host or path goes in.
    """

    source: str
    tzdata: str
    counts: dict[str, int]
    environment: Environment | None = None
    epoch: int = 0
    revision: int = 0
    parent: str | None = None
    provenance: dict[str, Any] | None = None


def encode_manifest(manifest: Manifest) -> bytes:
    """The manifest as JSON, members in one order."""
    return msgspec.json.encode(manifest, order="deterministic")


def decode_manifest(data: bytes) -> Manifest:
    """The inverse of `encode_manifest`. Raises BundleError for anything else."""
    try:
        return msgspec.json.decode(data, type=Manifest)
    except (msgspec.MsgspecError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged: its manifest can't be read: {ex}") from None
