"""The telling of a gateway: which request it asks about, and who sends that.

PERF: one user sends many requests to one host, so all but the target was told before, and is not read again.
"""

from typing import Final

from msgspec import Struct

from ....bundles.routing.settings import GatewaySettings
from ...identity.issuers.user_tokens import UserTokens
from .asked import GatewayQuestion
from .contracts.contract import GatewayCall
from .gateway_subjects import USER_CREDENTIAL, Asking, asking
from .header_names import are_plain
from .headers import GatewayRefused, Headers, field_key, needed
from .original import Original
from .peers import is_trusted

MOST_TELLINGS: Final = 4_096
"""The tellings that a worker remembers of an environment."""

LONGEST_TELLING: Final = 1_024
"""The bytes of the fields of a telling that is remembered."""


class Telling(Struct, frozen=True, gc=False):
    """The request that a gateway asks about, who sends it, and whether the peer is a trusted proxy."""

    original: Original
    asker: Asking
    trusted: bool


class Tellings:
    """Reads requests of gateways by the `settings` of an environment, and remembers what they told beside the target.

    Nothing else than these settings and the key of what is remembered counts for it. It is never of a user's token,
    which expires, of a field that came twice, of names that are read in two ways, or of a fault. A request that names
    no subject is remembered only without any credential (E11).
    """

    def __init__(self, settings: GatewaySettings, tokens: UserTokens) -> None:
        self.settings, self._tokens = settings, tokens
        subject = settings.subject.header
        self._remembers = subject is not None and are_plain((field_key(subject),))
        self._known: dict[tuple[object, ...], Telling] = {}
        self._fields: dict[str, tuple[bytes, ...]] = {}

    def of(self, asked: GatewayQuestion) -> Telling:
        """Returns what a request tells. Raises NoSubject, KeysAreComing, and Refused."""
        headers, contract = asked.headers, asked.contract
        is_clear = headers.is_plain and not headers.repeated and headers.__class__ is Headers
        if not (self._remembers and is_clear):
            return self._read(asked)
        fields = self._fields.get(contract.name) or self._learn(asked)
        told = tuple(map(headers.fields.get, fields))
        if told[-1] is None and headers.has(USER_CREDENTIAL):
            return self._read(asked)
        key = contract.name, asked.method, asked.peer, told
        known = self._known.get(key)
        if known is None:
            found = self._read(asked)
            if sum(len(value or b"") for value in told) <= LONGEST_TELLING:
                self._keep(key, found)
            return found
        target = asked.below if contract.target is None else needed(contract.target, headers.one(contract.target))
        return Telling(_with_target(known.original, target), known.asker, known.trusted)

    def _read(self, asked: GatewayQuestion) -> Telling:
        settings, headers = self.settings, asked.headers
        trusted = is_trusted(asked.peer, settings.trusted_proxies)
        if asked.contract.told_by_headers and not trusted:
            raise GatewayRefused("the peer is no trusted proxy; add the gateway to `trusted_proxies`")
        original = asked.contract.original(GatewayCall(asked.method, headers, asked.below, trusted))
        return Telling(original, asking(headers, settings, trusted, self._tokens), trusted)

    def _keep(self, key: tuple[object, ...], found: Telling) -> None:
        if len(self._known) >= MOST_TELLINGS:
            self._known.clear()
        self._known[key] = Telling(_with_target(found.original, ""), found.asker, found.trusted)

    def _learn(self, asked: GatewayQuestion) -> tuple[bytes, ...]:
        """Returns the fields that the contract of a request reads beside the target, and last that of the subject."""
        contract, subject = asked.contract, str(self.settings.subject.header)
        names = [name for name in contract.reads if name != contract.target]
        found = self._fields[contract.name] = tuple(map(field_key, (*names, subject)))
        return found


def _with_target(original: Original, target: str) -> Original:
    return Original(original.method, original.host, target, original.scheme, original.address)
