"""A signed update: the deltas that lead from one revision of an environment to a later one.

An update is a MessagePack array: a JWS about it, the encoded deltas, and a list of callers (see `callers`) or nil.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import msgspec

from ..delta import Delta, decode_delta
from ..errors import UNREADABLE, BundleError, ChangedBundle, DoesNotFollow, OlderBundle
from ..formats import FIRST_FORMAT
from ..manifest import Count, Digest, Environment
from ..prepared import prepared
from ..signing.jws import JwsKind
from ..signing.pem_keys import Pems, SigningKey, read_public_keys
from ..signing.signature_check import check_times
from .position import Position, refuse_other_environment
from .times import LIFETIME_SECONDS

CONTENT_TYPE: Final = "application/vnd.writ.update"

OLDER: Final = "older"
"""The preference (RFC 7240) of who asks for a whole bundle, and takes one from which an update leads on."""

LONGEST_UPDATE: Final = 64 * 1024 * 1024
"""The most bytes of an update. A longer one is refused before it is read."""

MOST_MANIFESTS: Final = 16
"""The most bundles that an update may fit."""

UPDATE_FORMAT: Final = FIRST_FORMAT

_SIGNED: Final = "the update"


class UpdateClaims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The claims that the signature of an update makes.

    The update leads from the revision `parent` to `revision`, which may be the same: it then tells that nothing
    changed. It fits the bundles whose manifests have one of the digests in `manifests`. `digest` is the SHA-256 of the
    encoded deltas. `issued` and `expires` are in epoch seconds.
    """

    environment: Environment
    epoch: Count
    manifests: tuple[Digest, ...]
    parent: Count
    revision: Count
    digest: Digest
    issued: Count = msgspec.field(name="iat")
    expires: Count = msgspec.field(name="exp")
    format: Count = UPDATE_FORMAT


UPDATE: Final = JwsKind("writ-update+jws", UpdateClaims, _SIGNED, UPDATE_FORMAT)


@prepared
class _Message(msgspec.Struct, frozen=True, array_like=True):
    token: bytes
    deltas: tuple[bytes, ...]
    callers: bytes | None


@dataclass(frozen=True, slots=True)
class Update:
    """An update with a right signature. `callers` is the JWS of a list of callers, which is not verified yet."""

    claims: UpdateClaims
    deltas: tuple[Delta, ...]
    callers: bytes | None

    def check_follows(self, position: Position) -> None:
        """Checks that the update leads on from a position, and only forward.

        Raises WrongEnvironment, OlderBundle for an update that ends before the position, and DoesNotFollow if only a
        whole bundle leads on.
        """
        claims = self.claims
        refuse_other_environment(_SIGNED, claims.environment, position.environment)
        if (claims.epoch, claims.revision) < (position.epoch, position.revision):
            found = f"epoch {claims.epoch} and revision {claims.revision}"
            raise OlderBundle(f"the update is too old: it leads to {found}, and {_of(position)} is in force")
        if (claims.epoch, claims.parent) != (position.epoch, position.revision):
            found = f"epoch {claims.epoch} and revision {claims.parent}"
            raise DoesNotFollow(f"the update starts at {found}, and {_of(position)} is in force")
        if position.manifest not in claims.manifests:
            raise DoesNotFollow("the update belongs to another bundle of the environment")


def encode_update(
    claims: UpdateClaims, deltas: Sequence[bytes], key: SigningKey, callers: bytes | None = None
) -> bytes:
    """Returns a signed update. See `claims_about` for its claims."""
    return msgspec.msgpack.encode(_Message(UPDATE.sign(claims, key), tuple(deltas), callers))


def claims_about(
    environment: Environment,
    epoch: int,
    manifests: Iterable[str],
    parent: int,
    deltas: Sequence[bytes],
    issued: int,
    lifetime: int = LIFETIME_SECONDS,
) -> UpdateClaims:
    """Returns the claims about deltas, one for each revision after `parent`.

    `issued` is in epoch seconds, `lifetime` in seconds.
    """
    return UpdateClaims(
        environment,
        epoch,
        tuple(sorted(manifests)),
        parent,
        parent + len(deltas),
        _digest(deltas),
        issued,
        issued + lifetime,
    )


def verified_update(data: bytes, keys: Pems, now: float | None) -> Update:
    """Returns an update that one of the `keys` signed. `keys` are the texts of PEMs.

    `now` is in epoch seconds, or None for an update that was accepted before. Raises UnusableBundleKey, UntrustedBundle
    (its subclasses tell the reason), and BundleError for other bytes.
    """
    if len(data) > LONGEST_UPDATE:
        raise BundleError(f"the update has {len(data)} bytes, more than {LONGEST_UPDATE}")
    try:
        message = msgspec.msgpack.decode(data, type=_Message)
    except (msgspec.MsgspecError, *UNREADABLE):
        raise BundleError("the update is damaged: it can't be read") from None
    _, claims = UPDATE.verify(message.token, read_public_keys(keys))
    check_times(_SIGNED, claims.issued, claims.expires, now)
    if _digest(message.deltas) != claims.digest:
        raise ChangedBundle("the update was changed after it was signed")
    deltas = tuple(map(decode_delta, message.deltas))
    if [delta.revision for delta in deltas] != list(range(claims.parent + 1, claims.revision + 1)):
        raise BundleError("the update is damaged: a revision is missing")
    return Update(claims, deltas, message.callers)


def _digest(deltas: Sequence[bytes]) -> str:
    return sha256(msgspec.msgpack.encode(tuple(deltas))).hexdigest()


def _of(position: Position) -> str:
    return f"epoch {position.epoch} and revision {position.revision}"
