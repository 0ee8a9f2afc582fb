"""The manifest: what a bundle is of, without anything that changes between two compilations of the same model."""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from .errors import UNREADABLE, BundleError

Digest: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
Shown: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[^\x00-\x1f\x7f-\x9f]+\Z", max_length=512)]
"""A text for people, without what a terminal would obey."""

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


Profile: TypeAlias = Literal["full", "decision"]
"""A decision bundle has no registry and no reverse indexes: it answers evaluations, and no search."""


class Environment(msgspec.Struct, frozen=True):
    """The environment that a bundle belongs to: a name for people and a UUID for everything else."""

    id: Shown
    uuid: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")]


class Manifest(msgspec.Struct, frozen=True):
    """Digests are hexadecimal SHA-256: `source` of the normalised model, `parent` of the bundle that this one follows.

    `environment` is None for a bundle that was compiled from files. No time, user, host or path goes in.
    """

    source: Digest
    tzdata: Shown
    counts: dict[str, Count]
    environment: Environment | None = None
    profile: Profile = "full"
    epoch: Count = 0
    revision: Count = 0
    parent: Digest | None = None
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
