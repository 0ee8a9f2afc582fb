"""The manifest, which names the model of a bundle. Every compilation of the same model gives the same manifest."""

from typing import Annotated, Any, TypeAlias

import msgspec

from .errors import UNREADABLE, BundleError
from .prepared import prepared

Digest: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""A SHA-256 digest in hexadecimal."""

Shown: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[^\x00-\x1f\x7f-\x9f]+\Z", max_length=512)]
"""A text for people, without control characters for a terminal."""

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Environment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The environment of a bundle: an id for people, and a UUID for everything else."""

    id: Shown
    uuid: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")]


@prepared
class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The manifest of a bundle. It contains no time, user, host or path.

    `source` is the digest of the normalised model, and `parent` the digest of the bundle before this one. `tzdata` is
    the release of the time zone database. `environment` is None for a bundle that was compiled from files.
    """

    source: Digest
    tzdata: Shown
    counts: dict[str, Count]
    environment: Environment | None = None
    epoch: Count = 0
    revision: Count = 0
    parent: Digest | None = None
    provenance: dict[str, Any] | None = None


def encode_manifest(manifest: Manifest) -> bytes:
    """Returns the manifest as JSON, always in the same order."""
    return msgspec.json.encode(manifest, order="deterministic")


def decode_manifest(data: bytes) -> Manifest:
    """Returns the manifest that `encode_manifest` encoded. Raises BundleError for other bytes and unknown members."""
    try:
        return msgspec.json.decode(data, type=Manifest)
    except (msgspec.MsgspecError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged or newer than this Writ: its manifest can't be read: {ex}") from None
