"""Rechecks the credential of a writing request: it may have been revoked or restricted meanwhile."""

from ..actor import API_KEY_PREFIX, Actor
from ..credential_rows import client_row
from ..database.connection import Connection
from ..errors import NotFound, OutOfBounds


def recheck_credential(db: Connection, actor: Actor) -> None:
    """Raises OutOfBounds if the credential of `actor` no longer permits the change, in the transaction that writes.

    The guard checks a credential at the start of a request and after its body. This check covers the time since then:
    no change is ever committed with a right that was removed before.
    """
    is_there = _is_good_key(db, actor) and _is_there(db, "sessions", actor.session)
    if not (_is_good_client(db, actor) and is_there) or _is_revoked(db, actor.token):
        raise OutOfBounds("the credential was revoked or restricted while the request was on its way")


def _is_good_client(db: Connection, actor: Actor) -> bool:
    if actor.client is None:
        return True
    try:
        client = client_row(db, actor.client)
    except NotFound:
        return False
    within = client.bounds is None or (actor.bounds is not None and actor.bounds <= client.bounds)
    covers = actor.scopes is None or not set(client.scopes).isdisjoint(actor.scopes)
    return client.revoked is None and within and covers


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
