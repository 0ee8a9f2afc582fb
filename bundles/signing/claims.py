"""The claims that the signature of a bundle makes."""

from typing import Final

import msgspec

from ..manifest import Count, Digest, Environment
from .jws import JwsKind


class Claims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The claims that the signature of a bundle makes.

    `digest` is the SHA-256 of every byte before the signature section. `environment`, `epoch` and `revision` are those
    of the manifest. `issued` and `expires` are in epoch seconds.
    """

    digest: Digest
    environment: Environment | None
    epoch: Count
    revision: Count
    issued: Count = msgspec.field(name="iat")
    expires: Count = msgspec.field(name="exp")


BUNDLE: Final = JwsKind("writ-bundle+jws", Claims, "the bundle")
"""The JWS in a bundle. A JWS with another type, such as an access token, is no signature of a bundle."""
