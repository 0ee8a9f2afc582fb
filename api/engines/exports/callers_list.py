"""The list of callers that goes to the agents of an environment: who may read it with an access token."""

from hashlib import sha256
from typing import Final, NamedTuple

import msgspec

from ....bundles.feed.callers import Callers, expiry, name_of
from ....bundles.manifest import Environment as Origin
from ...identity.keys.ring import KeyRing
from ...store.credentials.admitted import Admitted
from ...store.environments import Environment

_TAG_DIGITS: Final = 16


class TaggedCallers(NamedTuple):
    """A list of callers, and a tag that changes with its content."""

    callers: Callers
    tag: str


class CallersLists:
    """Makes the lists of one service."""

    def __init__(self, ring: KeyRing, public_url: str) -> None:
        """`ring` has the keys of access tokens. `public_url` is their issuer and their audience."""
        self.ring, self._url = ring, public_url

    def callers(self, env: Environment, admitted: Admitted, now: float) -> TaggedCallers:
        """Returns the list of an environment at `now`, in epoch seconds."""
        issued = int(now)
        found = Callers(
            Origin(env.id, env.uuid),
            env.epoch,
            admitted.generation,
            self._url,
            self._url,
            {"keys": [key.jwk() for _, key in sorted(self.ring.keys().verifying.items())]},
            tuple(sorted(map(name_of, admitted.clients))),
            tuple(sorted(admitted.revoked)),
            issued,
            expiry(issued),
        )
        return TaggedCallers(found, _tag(found))


def _tag(callers: Callers) -> str:
    content = (callers.issuer, callers.keys, callers.clients, callers.revoked)
    return sha256(msgspec.json.encode(content)).hexdigest()[:_TAG_DIGITS]
