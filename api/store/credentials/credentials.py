"""Clients, API keys and revoked tokens. The store has only the SHA-256 of a secret."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from msgspec import UNSET, UnsetType

from ....bundles.conditions.instants import SECOND, parse_instant
from ..actor import API_KEY_PREFIX, CLIENT_PREFIX, Actor
from ..audit.entries import AuditEntry, append
from ..audit.events import Event
from ..credential_rows import (
    ApiKey,
    Client,
    api_key_row,
    api_key_rows,
    api_key_with,
    bound_to,
    client_row,
    client_rows,
    uuid_of,
)
from ..database.connection import Connection
from ..database.connections import LONG_WAIT_FACTOR, StoreConnections
from ..environment_ids import Bounds
from ..errors import Conflict, NotFound
from .admitted import Admitted, admitted, generation
from .credential_recheck import recheck_credential
from .credential_states import InState, chosen_rows
from .last_uses import forget_use, record_uses
from .makers import record_maker, record_widener
from .old_secrets import Overlap, end_old, forget_secrets, retire

AT_ONCE: Final = Overlap()
"""No overlap: a replaced secret is refused from now on."""

REVOCATION_SECONDS: Final = 86_400.0
"""Seconds for which a revocation is kept after its token has expired, in case a clock is wrong."""


@dataclass(frozen=True, slots=True)
class ClientSpec:
    """The properties of a client to create or change. `environments` are ids, or None if it is not bound.

    In a change, UNSET keeps the client's bounds: ids can't name deleted environments.
    """

    name: str
    scopes: Sequence[str]
    token_lifetime: int
    description: str | None = None
    environments: Sequence[str] | UnsetType | None = None


@dataclass(frozen=True, slots=True)
class ApiKeySpec:
    """The properties of an API key to create. `expires_at` is RFC 3339, or None if it does not expire."""

    name: str
    scopes: Sequence[str]
    expires_at: str | None = None
    environments: Sequence[str] | None = None


class Credentials:
    """The credentials of a store. Every method raises StoreUnavailable, as those of the store do.

    `within` are the bounds of the caller's credential, as are the bounds of an `actor`. Outside them a caller can see,
    create and change nothing: the methods raise OutOfBounds. Every change adds an entry to the audit log.
    """

    def __init__(self, connections: StoreConnections, now: Callable[[], str]):
        """`now` returns the time in RFC 3339."""
        self._connections, self._now = connections, now

    def generation(self) -> int:
        """Returns a number that rises with every change of a credential."""
        with self._connections.reading() as db:
            return generation(db)

    def admitted(self, uuid: str) -> Admitted:
        """Returns who may read the environment of this UUID with an access token."""
        with self._connections.reading() as db:
            return admitted(db, uuid)

    def environment_uuid(self, id: str) -> str | None:
        """Returns the UUID of an environment, or None if there is none of that id."""
        with self._connections.reading() as db:
            return uuid_of(db, id)

    def record_uses(self, uses: Mapping[str, int], now: float) -> None:
        """Record when clients and API keys were last used, by their names as actors. All times are in epoch seconds.

        This changes no right, so no entry of the audit log is made, and no process is told to look for changes.
        """
        with self._connections.writing(tells=False) as db:
            record_uses(db, uses, now)

    # -- clients

    def clients(
        self, within: Bounds, limit: int, cursor: str | None = None, of: InState | None = None
    ) -> tuple[list[Client], str | None]:
        """Returns clients by id, perhaps those in a state, and the cursor of the next page, or None at the end.

        Raises BadQuery.
        """
        with self._connections.reading() as db:
            return client_rows(db, within, limit, cursor, chosen_rows("clients", of))

    def client(self, id: str, within: Bounds = None) -> Client:
        """Returns the client of that id. Raises NotFound."""
        with self._connections.reading() as db:
            return client_row(db, id, within)

    def known_client(self, id: str) -> Client | None:
        """Returns the client of that id, or None."""
        try:
            return self.client(id)
        except NotFound:
            return None

    def add_client(self, actor: Actor, spec: ClientSpec, secret: bytes) -> Client:
        """Create a client. `secret` is the SHA-256 of its secret. Raises Rejected for an unknown environment."""
        id = str(uuid4())
        with self._changing(actor) as db:
            db.execute(
                "INSERT INTO clients (id, created, secret, name, description, scopes, token_lifetime, environments)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (id, self._now(), secret, *_columns(db, spec, actor.bounds)),
            )
            record_maker(db, f"{CLIENT_PREFIX}{id}", actor)
            made = client_row(db, id)
            self._record(db, actor, Event.CLIENT_CREATED, made, _audit_details(made))
            return made

    def change_client(self, actor: Actor, id: str, change: Callable[[Client], ClientSpec]) -> Client:
        """Change a client to the result of `change`. Raises NotFound, Rejected."""
        with self._changing(actor) as db:
            before = client_row(db, id, actor.bounds)
            db.execute(
                "UPDATE clients SET name = ?, description = ?, scopes = ?, token_lifetime = ?, environments = ?"
                " WHERE id = ?",
                (*_columns(db, change(before), actor.bounds, before.bounds), id),
            )
            after = client_row(db, id)
            if _has_more(after, before):
                record_widener(db, f"{CLIENT_PREFIX}{id}", actor)
            details = {"before": _audit_details(before), "after": _audit_details(after)}
            self._append(db, actor, Event.CLIENT_CHANGED, details, client_id=id, within=_common_bounds(before, after))
            return after

    def renew_secret(self, actor: Actor, id: str, secret: bytes, overlap: Overlap = AT_ONCE) -> Client:
        """Give a client a new secret. Its tokens stay valid.

        Raises NotFound; Conflict for a revoked client, or if too many old secrets still work.
        """
        with self._changing(actor) as db:
            client = client_row(db, id, actor.bounds)
            if client.revoked is not None:
                raise Conflict("the client is revoked for good; create another one")
            name = f"{CLIENT_PREFIX}{id}"
            retire(db, name, client.secret, overlap, overlap.ends)
            db.execute("UPDATE clients SET secret = ? WHERE id = ?", (secret, id))
            record_maker(db, name, actor)
            self._record(db, actor, Event.CLIENT_SECRET_RENEWED, client, {"overlap_seconds": overlap.seconds})
            return client_row(db, id)

    def end_old_secrets(self, actor: Actor, id: str) -> None:
        """End the overlap of a client now: only its present secret is good. Raises NotFound."""
        with self._changing(actor) as db:
            client = client_row(db, id, actor.bounds)
            if end_old(db, f"{CLIENT_PREFIX}{id}"):
                self._record(db, actor, Event.CLIENT_OLD_SECRETS_ENDED, client)

    def revoke_client(self, actor: Actor, id: str) -> None:
        """Revoke a client and its tokens for good. A revoked client stays as it is. Raises NotFound."""
        with self._writing(actor) as db:
            client = client_row(db, id, actor.bounds)
            if client.revoked is not None:
                return
            _raise_generation(db)
            db.execute("UPDATE clients SET revoked = ? WHERE id = ?", (self._now(), id))
            self._record(db, actor, Event.CLIENT_REVOKED, client)

    def delete_client(self, actor: Actor, id: str) -> None:
        """Delete a client, which also ends its tokens. Raises NotFound."""
        with self._changing(actor) as db:
            client = client_row(db, id, actor.bounds)
            db.execute("DELETE FROM clients WHERE id = ?", (id,))
            forget_use(db, f"{CLIENT_PREFIX}{id}")
            forget_secrets(db, f"{CLIENT_PREFIX}{id}", client.secret)
            self._record(db, actor, Event.CLIENT_DELETED, client, _audit_details(client))

    # -- API keys

    def api_keys(
        self, within: Bounds, limit: int, cursor: str | None = None, of: InState | None = None
    ) -> tuple[list[ApiKey], str | None]:
        """Returns API keys, as `clients`."""
        with self._connections.reading() as db:
            return api_key_rows(db, within, limit, cursor, chosen_rows("api_keys", of))

    def api_key(self, id: str, within: Bounds = None) -> ApiKey:
        """Returns the API key of that id. Raises NotFound."""
        with self._connections.reading() as db:
            return api_key_row(db, id, within)

    def api_key_with(self, secret: bytes) -> tuple[ApiKey, int | None] | None:
        """Returns the API key of which a secret has that SHA-256, expired or not, or None.

        Beside it stands the end of an old secret, in epoch seconds, which may be past. It is None for the present one.
        """
        with self._connections.reading() as db:
            return api_key_with(db, secret)

    def add_api_key(self, actor: Actor, spec: ApiKeySpec, secret: bytes) -> ApiKey:
        """Create an API key. `secret` is its SHA-256. Raises Rejected for an unknown environment."""
        id = str(uuid4())
        with self._changing(actor) as db:
            environments = bound_to(db, spec.environments, actor.bounds)
            db.execute(
                "INSERT INTO api_keys (id, created, secret, name, scopes, expires_at, environments)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (id, self._now(), secret, spec.name, " ".join(spec.scopes), spec.expires_at, environments),
            )
            record_maker(db, f"{API_KEY_PREFIX}{id}", actor)
            made = api_key_row(db, id)
            self._record(db, actor, Event.API_KEY_CREATED, made, _audit_details(made))
            return made

    def rotate_api_key(
        self, actor: Actor, id: str, secret: bytes, overlap: Overlap, expires_at: str | UnsetType | None = UNSET
    ) -> ApiKey:
        """Give an API key a new secret, and a new expiry in RFC 3339, or None for never. UNSET keeps the expiry.

        The old secret ends with the overlap, or with the expiry that it had. Raises NotFound; Conflict if the key would
        have expired, or if too many old secrets still work.
        """
        with self._changing(actor) as db:
            key, name = api_key_row(db, id, actor.bounds), f"{API_KEY_PREFIX}{id}"
            expires = key.expires_at if expires_at is UNSET else expires_at
            if expires is not None and _seconds(expires) <= overlap.now:
                raise Conflict("the API key has expired; give it another `expires_at`")
            (old,) = db.execute("SELECT secret FROM api_keys WHERE id = ?", (id,)).fetchone()
            ends = overlap.ends if key.expires_at is None else min(overlap.ends, int(_seconds(key.expires_at)))
            retire(db, name, old, overlap, ends)
            db.execute("UPDATE api_keys SET secret = ?, expires_at = ? WHERE id = ?", (secret, expires, id))
            record_maker(db, name, actor)
            made = api_key_row(db, id)
            details = {**_audit_details(made), "overlap_seconds": overlap.seconds}
            self._record(db, actor, Event.API_KEY_ROTATED, made, details)
            return made

    def end_old_keys(self, actor: Actor, id: str) -> None:
        """End the overlap of an API key now: only its present secret is good. Raises NotFound."""
        with self._changing(actor) as db:
            key = api_key_row(db, id, actor.bounds)
            if end_old(db, f"{API_KEY_PREFIX}{id}"):
                self._record(db, actor, Event.API_KEY_OLD_ENDED, key, _audit_details(key))

    def delete_api_key(self, actor: Actor, id: str) -> None:
        """Delete an API key. It is refused from now on. Raises NotFound."""
        with self._changing(actor) as db:
            key = api_key_row(db, id, actor.bounds)
            (secret,) = db.execute("SELECT secret FROM api_keys WHERE id = ?", (id,)).fetchone()
            db.execute("DELETE FROM api_keys WHERE id = ?", (id,))
            forget_use(db, f"{API_KEY_PREFIX}{id}")
            forget_secrets(db, f"{API_KEY_PREFIX}{id}", secret)
            self._record(db, actor, Event.API_KEY_DELETED, key, _audit_details(key))

    # -- tokens

    def revoke_token(self, actor: Actor, id: str, expires: int, now: float) -> None:
        """Revoke one token of the client `actor`, which expires at `expires`.

        Also remove the revocations of tokens that expired long before `now`. Both times are in epoch seconds.
        """
        with self._changing(actor) as db:
            db.execute("DELETE FROM revoked_tokens WHERE expires <= ?", (now - REVOCATION_SECONDS,))
            db.execute("INSERT INTO revoked_tokens VALUES (?, ?) ON CONFLICT DO NOTHING", (id, expires))
            self._append(db, actor, Event.TOKEN_REVOKED, {"jti": id}, within=actor.bounds)

    def is_revoked(self, id: str) -> bool:
        """Returns whether a token that has not expired is revoked."""
        with self._connections.reading() as db:
            return db.execute("SELECT 1 FROM revoked_tokens WHERE id = ?", (id,)).fetchone() is not None

    def rotate_keys(
        self,
        actor: Actor,
        rotate: Callable[[], str],
        details: Mapping[str, object] | None = None,
        event: Event = Event.SIGNING_KEY_ROTATED,
    ) -> str:
        """Sign tokens, or the bundles of another `event`, with the key that `rotate` makes. Returns that key's id.

        Every worker drops its cached credentials. `rotate` is called with the store's write lock: if the change can't
        be recorded, no key is made.
        """
        with self._changing(actor) as db:
            id = rotate()
            self._append(db, actor, event, {"kid": id, **(details or {})})
            return id

    def change_admin_keys(self, actor: Actor, change: Callable[[], None], details: Mapping[str, object]) -> None:
        """Record that `change` stores other keys of the administrator. It is called with the store's write lock.

        The commit makes every worker look at the keys again.
        """
        with self._changing(actor) as db:
            change()
            self._append(db, actor, Event.ADMIN_KEY_SET, details)

    def _record(
        self,
        db: Connection,
        actor: Actor,
        event: Event,
        credential: Client | ApiKey,
        details: Mapping[str, object] | None = None,
    ) -> None:
        client = credential.id if isinstance(credential, Client) else None
        self._append(db, actor, event, details, client_id=client, within=credential.bounds)

    def _append(
        self,
        db: Connection,
        actor: Actor,
        event: Event,
        details: Mapping[str, object] | None,
        *,
        client_id: str | None = None,
        within: Bounds = None,
    ) -> None:
        append(db, AuditEntry.of(self._now(), actor, event, details, client_id=client_id, within=within))

    @contextmanager
    def _changing(self, actor: Actor) -> Iterator[Connection]:
        with self._writing(actor) as db:
            _raise_generation(db)
            yield db

    @contextmanager
    def _writing(self, actor: Actor) -> Iterator[Connection]:
        with self._connections.writing(LONG_WAIT_FACTOR) as db:
            recheck_credential(db, actor)
            yield db


def _raise_generation(db: Connection) -> None:
    db.execute("UPDATE credential_generation SET number = number + 1")


def _seconds(instant: str) -> float:
    """Returns an instant of RFC 3339 in epoch seconds."""
    return parse_instant(instant) / SECOND


def _common_bounds(before: Client, after: Client) -> Bounds:
    """Returns the bounds of the callers that could manage a client both before and after a change."""
    return None if before.bounds is None or after.bounds is None else before.bounds | after.bounds


def _has_more(after: Client, before: Client) -> bool:
    """Returns whether a change gave a client scopes or environments."""
    if not set(after.scopes) <= set(before.scopes):
        return True
    return before.bounds is not None and (after.bounds is None or not after.bounds <= before.bounds)


def _audit_details(credential: Client | ApiKey) -> dict[str, object]:
    """Returns the details of a client or an API key for the audit log, without secrets."""
    found: dict[str, object] = {
        "name": credential.name,
        "scopes": credential.scopes,
        "environments": credential.environments,
    }
    if isinstance(credential, Client):
        more = {
            "description": credential.description,
            "token_lifetime": credential.token_lifetime,
            "revoked": credential.revoked,
        }
        return found | more
    return {"id": credential.id, **found, "expires_at": credential.expires_at}


def _columns(db: Connection, spec: ClientSpec, within: Bounds, before: Bounds = None) -> tuple[object, ...]:
    environments = bound_to(db, spec.environments, within, before)
    return spec.name, spec.description, " ".join(spec.scopes), spec.token_lifetime, environments
