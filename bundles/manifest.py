"""The manifest, which names the model of a bundle. Every compilation of the same model gives the same manifest."""

from collections.abc import Iterable
from typing import Annotated, Any, TypeAlias

import msgspec

from .errors import UNREADABLE, BundleError
from .extensions import EXTENSIONS, NEEDS, RequestMode
from .prepared import prepared
from .wording import joined, quoted

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
    `extensions` are the sorted names of those that the model uses (X1), and `requests` says how it wants requests to be
    checked (E8). `needs` are the sorted names of rules that came later, and that its policies or routes rely on.
    """

    source: Digest
    tzdata: Shown
    counts: dict[str, Count]
    environment: Environment | None = None
    epoch: Count = 0
    revision: Count = 0
    parent: Digest | None = None
    provenance: dict[str, Any] | None = None
    extensions: tuple[str, ...] = ()
    requests: RequestMode | None = None
    needs: tuple[str, ...] = ()


_LATER = ("extensions", "requests", "needs")
"""The members that earlier manifests do not have."""


def encode_manifest(manifest: Manifest) -> bytes:
    """Returns the manifest as JSON, always in the same order. A later member is left out if it says nothing (X7)."""
    members = msgspec.to_builtins(manifest, order="deterministic")
    return msgspec.json.encode({name: value for name, value in members.items() if value or name not in _LATER})


def decode_manifest(data: bytes) -> Manifest:
    """Returns the manifest that `encode_manifest` encoded.

    Raises BundleError for other bytes, and for members, extensions and rules that this Writ does not know.
    """
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.MsgspecError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged or newer than this Writ: its manifest can't be read: {ex}") from None
    unknown = [quoted(name) for name in manifest.extensions if name not in EXTENSIONS]
    if unknown:
        noun = "extension" if len(unknown) == 1 else "extensions"
        message = f"the model of the bundle uses the {noun} {joined(unknown, 'and')}, which this Writ does not know"
        raise BundleError(f"{message}: install a newer Writ")
    check_needs("the bundle", manifest.needs)
    return manifest


def check_needs(what: str, needs: Iterable[str]) -> None:
    """Raises BundleError for rules that this Writ does not know. `what` names the bundle or the delta."""
    unknown = [quoted(name) for name in needs if name not in NEEDS]
    if unknown:
        noun = "rule" if len(unknown) == 1 else "rules"
        message = f"{what} needs the {noun} {joined(unknown, 'and')}, which this Writ does not know"
        raise BundleError(f"{message}: install a newer Writ")
