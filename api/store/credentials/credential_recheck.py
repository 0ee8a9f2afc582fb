"""Whoever was ended, or had something taken away, while a request was on its way does nothing with it any more."""

from sqlite_utils import Database

from ..actor import Actor
from ..credential_rows import client_row
from ..errors import NotFound, OutOfBounds


def recheck_credential(db: Database, actor: Actor) -> None:
    """Pass where the credential of `actor` is still good for what it does, in the transaction that writes.

    Raises OutOfBounds. A credential is checked when a request begins and when its body is there; this closes the rest:
    what is committed after something was taken from it is never done with that.
    """
    if not (_is_good_client(db, actor) and _is_there(db, "api_keys", actor.api_key)) or _is_revoked(db, actor.token):
        raise OutOfBounds("the credential was revoked or restricted while the request was on its way")


def _is_good_client(db: Database, actor: Actor) -> bool:
    if actor.client is None:
        return True
    try:
        client = client_row(db, actor.client)
    except NotFound:
        return False
    within = client.bounds is None or (actor.bounds is not None and actor.bounds <= client.bounds)
    covers = actor.scopes is None or not set(client.scopes).isdisjoint(actor.scopes)
    return client.revoked is None and within and covers


def _is_there(db: Database, table: str, id: str | None) -> bool:
    return id is None or db.execute(f"SELECT 1 FROM {table} WHERE id = ?", (id,)).fetchone() is not None


def _is_revoked(db: Database, token: str | None) -> bool:
    return token is not None and _is_there(db, "revoked_tokens", token)
