"""Rechecks the credential of a writing request: it may have been revoked or restricted meanwhile."""

from collections.abc import Sequence

from ..actor import API_KEY_PREFIX, Actor
from ..credential_rows import BOUND, client_row, one_within, read_bounds
from ..database.connection import Connection
from ..environment_ids import Bounds
from ..errors import NotFound, OutOfBounds


def recheck_credential(db: Connection, actor: Actor) -> None:
    """Raises OutOfBounds if the credential of `actor` no longer permits the change, in the transaction that writes.

    The guard checks a credential at the start of a request and after its body. This check covers the time since then:
    no change is ever committed with a right that was removed before.
    """
    is_good = _is_good_key(db, actor) and _is_good_client(db, actor) and _is_good_session(db, actor)
    if not is_good or _is_revoked(db, actor.token):
        raise OutOfBounds("the credential was revoked or restricted while the request was on its way")


def _is_good_client(db: Connection, actor: Actor) -> bool:
    if actor.client is None:
        return True
    try:
        client = client_row(db, actor.client)
    except NotFound:
        return False
    return client.revoked is None and _covers(client.bounds, client.scopes, actor)


def _is_good_session(db: Connection, actor: Actor) -> bool:
    """Returns whether the session of `actor` is there, and has its rights: a newer sign-in may have taken some."""
    if actor.session is None:
        return True
    try:
        scopes, *bound = one_within(db, "sessions", f"scopes, {BOUND}", "session", actor.session, None)
    except NotFound:
        return False
    return _covers(read_bounds(*bound)[0], scopes.split(), actor)


def _covers(bounds: Bounds, scopes: Sequence[str], actor: Actor) -> bool:
    within = bounds is None or (actor.bounds is not None and actor.bounds <= bounds)
    return within and (actor.scopes is None or not set(scopes).isdisjoint(actor.scopes))


def _is_good_key(db: Connection, actor: Actor) -> bool:
    """Returns whether the API key of `actor` is there, and the secret that it used was not ended by a rotation."""
    if actor.api_key is None or actor.secret is None:
        return _is_there(db, "api_keys", actor.api_key)
    query = (
        "SELECT 1 FROM api_keys WHERE id = ? AND (secret = ?"
        " OR EXISTS (SELECT 1 FROM old_secrets WHERE credential = ? AND secret = ?))"
    )
    asked = (actor.api_key, actor.secret, f"{API_KEY_PREFIX}{actor.api_key}", actor.secret)
    return db.execute(query, asked).fetchone() is not None


def _is_there(db: Connection, table: str, id: str | None) -> bool:
    return id is None or db.execute(f"SELECT 1 FROM {table} WHERE id = ?", (id,)).fetchone() is not None


def _is_revoked(db: Connection, token: str | None) -> bool:
    return token is not None and _is_there(db, "revoked_tokens", token)
