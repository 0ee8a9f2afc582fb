"""The index of a published folder: the one file in it that changes. It names the files of the newest revision.

The other files never change, and each has a part of its digest in its name. So any object store or web server can hold
them, and any cache may keep them.
"""

from typing import Annotated, Final

import msgspec

from ..errors import BundleError, OlderBundle
from ..formats import FIRST_FORMAT
from ..manifest import Count, Digest, Environment
from ..signing.jws import JwsKind
from ..signing.pem_keys import Pems, SigningKey, read_public_keys
from ..signing.signature_check import check_times
from .position import refuse_other_environment

INDEX_FILE: Final = "writ-index.jws"

LONGEST_INDEX: Final = 1024 * 1024
"""The most bytes of an index."""

INDEX_FORMAT: Final = FIRST_FORMAT

_SIGNED: Final = "the index"
_FileName = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,200}\.(bundle|update|callers)\Z")]


class PublishedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file beside the index: its name, its size in bytes, and the SHA-256 of its content."""

    name: _FileName
    size: Count
    digest: Digest


class PublishedBundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bundle: its file, its revision, the digest of its manifest, and the times of its signature."""

    file: PublishedFile
    revision: Count
    manifest: Digest
    issued: Count = msgspec.field(name="iat")
    expires: Count = msgspec.field(name="exp")


class PublishedUpdate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An update: its file, the revisions that it leads from and to, and until when it is accepted."""

    file: PublishedFile
    parent: Count
    revision: Count
    expires: Count = msgspec.field(name="exp")


class Retired(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A file that no index names any more since a time in epoch seconds. It is removed later: somebody may read it."""

    name: _FileName
    since: Count


class Index(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The index of a published folder. The updates lead from its bundle to `revision`, without a gap.

    The newest update fits the bundles whose manifests have one of the digests in `manifests`. `issued` and `expires`
    are in epoch seconds. `number` rises with each index of an epoch.
    """

    environment: Environment
    epoch: Count
    number: Count
    revision: Count
    bundle: PublishedBundle
    updates: tuple[PublishedUpdate, ...]
    manifests: tuple[Digest, ...]
    callers: PublishedFile | None
    retired: tuple[Retired, ...]
    issued: Count = msgspec.field(name="iat")
    expires: Count = msgspec.field(name="exp")
    format: Count = INDEX_FORMAT

    def check_follows(self, environment: str, earlier: "Index | None") -> None:
        """Raises WrongEnvironment, and OlderBundle for an index that is older than the one seen before."""
        refuse_other_environment(_SIGNED, self.environment, environment)
        if earlier is not None and (self.epoch, self.revision, self.number) < (
            earlier.epoch,
            earlier.revision,
            earlier.number,
        ):
            raise OlderBundle("the index is older than the one that was read before")

    def files(self) -> tuple[PublishedFile, ...]:
        """Returns every file that the index names."""
        callers = () if self.callers is None else (self.callers,)
        return (self.bundle.file, *(one.file for one in self.updates), *callers)


INDEX: Final = JwsKind("writ-index+jws", Index, _SIGNED, INDEX_FORMAT)


def sign_index(index: Index, key: SigningKey) -> bytes:
    """Returns the content of an index file."""
    return INDEX.sign(index, key)


def verified_index(token: bytes, keys: Pems, now: float | None) -> Index:
    """Returns an index that one of the `keys` signed. `keys` are the texts of PEMs.

    `now` is in epoch seconds, or None for the one who goes on with the index. Raises UnusableBundleKey, UntrustedBundle
    and BundleError.
    """
    if len(token) > LONGEST_INDEX:
        raise BundleError(f"the index has {len(token)} bytes, more than {LONGEST_INDEX}")
    _, index = INDEX.verify(token, read_public_keys(keys))
    check_times(_SIGNED, index.issued, index.expires, now)
    return index
