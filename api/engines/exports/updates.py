"""Makes signed updates: the deltas after a revision, for those that have an exported bundle of it or an earlier one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ....bundles.feed.callers import sign_callers
from ....bundles.feed.update import MOST_MANIFESTS, claims_about, encode_update
from ....bundles.manifest import Environment as Origin
from ....bundles.signing.pem_keys import SigningKey
from ...store.environments import Environment
from ...store.store import Store
from .callers_list import CallersLists
from .export_files import ExportFiles

MOST_UPDATE_BYTES: Final = 16 * 1024 * 1024
"""The most bytes of deltas in an update. Beyond, a whole bundle is sent."""


@dataclass(frozen=True, slots=True)
class SignedUpdate:
    """An update as it is sent. It leads to `revision` in `env`. `callers` is the tag of the list of callers then."""

    data: bytes
    env: Environment
    revision: int
    callers: str

    @property
    def etag(self) -> str:
        """The entity tag, without quotes: that of the state which the update leads to."""
        return state_tag(self.env, self.callers)


class UpdateMaker:
    """Makes updates. Safe to use from several threads."""

    def __init__(self, store: Store, files: ExportFiles, lists: CallersLists, clock: Callable[[], float]) -> None:
        """`clock` gives epoch seconds."""
        self._store, self._files, self._lists, self._clock = store, files, lists, clock

    def update(self, environment: str, since: int, known: str | None, key: SigningKey) -> SignedUpdate | None:
        """Returns the update from the revision `since`, or None if only a whole bundle leads on.

        It carries the list of callers, unless the tag of that list is `known`. Raises NotFound, StoreUnavailable.
        """
        env = self._store.environment(environment)
        manifests = [one.manifest for one in self._files.of(env) if one.revision <= since]
        if not manifests or since > env.revision:
            return None
        found = self._store.updates(environment, since, MOST_UPDATE_BYTES)
        if not found.are_complete or (found.env.uuid, found.env.epoch) != (env.uuid, env.epoch):
            return None
        now = self._clock()
        callers, tag = self._lists.callers(found.env, self._store.credentials.admitted(env.uuid), now)
        origin = Origin(env.id, env.uuid)
        claims = claims_about(origin, env.epoch, manifests[:MOST_MANIFESTS], since, found.deltas, int(now))
        data = encode_update(claims, found.deltas, key, sign_callers(callers, key) if tag != known else None)
        return SignedUpdate(data, found.env, found.env.revision, tag)


def state_tag(env: Environment, callers: str) -> str:
    """Returns the entity tag of a state of an environment, without quotes. Another environment has other tags."""
    return f"{env.etag}.{callers}"
