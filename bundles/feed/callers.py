"""The signed list of the callers that an agent admits: the keys of access tokens, and which tokens still count.

It names clients by a part of their SHA-256: an agent recognises those that call it, and learns of no others.
"""

from hashlib import sha256
from typing import Annotated, Any, Final

import msgspec

from ..errors import BundleError, OlderBundle
from ..formats import FIRST_FORMAT
from ..manifest import Count, Environment
from ..signing.jws import JwsKind
from ..signing.pem_keys import Pems, SigningKey, read_public_keys
from ..signing.signature_check import check_times
from .position import refuse_other_environment
from .times import LIFETIME_SECONDS

LONGEST_CALLERS: Final = 16 * 1024 * 1024
"""The most bytes of a list of callers."""

CALLERS_FORMAT: Final = FIRST_FORMAT

_SIGNED: Final = "the list of callers"
_Name = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}\Z")]


class Callers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The callers that may use an agent of an environment with an access token.

    - `generation` rises with every change of a credential. A list never follows one with a higher generation.
    - `issuer` and `audience` are those of the tokens. `keys` is the JWK Set (RFC 7517) that verifies them.
    - `clients` names the clients that may read the environment, by `name_of` their ids, in order.
    - `revoked` has the ids (`jti`) of revoked tokens, in order.
    - `issued` and `expires` are in epoch seconds.
    """

    environment: Environment
    epoch: Count
    generation: Count
    issuer: str
    audience: str
    keys: dict[str, Any]
    clients: tuple[_Name, ...]
    revoked: tuple[str, ...]
    issued: Count = msgspec.field(name="iat")
    expires: Count = msgspec.field(name="exp")
    format: Count = CALLERS_FORMAT

    def check_follows(self, environment: str, earlier: "Callers | None") -> None:
        """Raises WrongEnvironment, and OlderBundle for a list that is older than the one in force."""
        refuse_other_environment(_SIGNED, self.environment, environment)
        if earlier is not None and self._age < earlier._age:
            raise OlderBundle("the list of callers is older than the one in force")

    @property
    def _age(self) -> tuple[int, int, int]:
        return self.epoch, self.generation, self.issued


CALLERS: Final = JwsKind("writ-callers+jws", Callers, _SIGNED, CALLERS_FORMAT)


def name_of(client: str) -> str:
    """Returns the name of a client in the list: the first half of the SHA-256 of its id, in hexadecimal."""
    return sha256(client.encode()).hexdigest()[:32]


def sign_callers(callers: Callers, key: SigningKey) -> bytes:
    """Returns the JWS of a list of callers."""
    return CALLERS.sign(callers, key)


def expiry(issued: int) -> int:
    """Returns when a list of that time expires, in epoch seconds."""
    return issued + LIFETIME_SECONDS


def verified_callers(token: bytes, keys: Pems, now: float | None) -> Callers:
    """Returns a list of callers that one of the `keys` signed. `keys` are the texts of PEMs.

    `now` is in epoch seconds, or None for a list that was accepted before. Raises UnusableBundleKey, UntrustedBundle
    and BundleError.
    """
    if len(token) > LONGEST_CALLERS:
        raise BundleError(f"the list of callers has {len(token)} bytes, more than {LONGEST_CALLERS}")
    _, callers = CALLERS.verify(token, read_public_keys(keys))
    check_times(_SIGNED, callers.issued, callers.expires, now)
    return callers
