"""Whoever was ended while a request was on its way changes nothing any more."""

from sqlite_utils import Database

from api.store.actor import Actor
from api.store.refusals import OutOfBounds

_GOOD = {
    "client": "SELECT 1 FROM clients WHERE id = ? AND revoked IS NULL",
    "api_key": "SELECT 1 FROM api_keys WHERE id = ?",
}


def refuse_ended(db: Database, actor: Actor) -> None:
    """Pass where the client or the API key of `actor` is still good, in the transaction that writes.

    Raises OutOfBounds. A credential is checked when a request begins and when its body is there; this closes the rest:
    what is committed after a revocation was answered is never the revoked one's.
    """
    for kind, query in _GOOD.items():
        id = getattr(actor, kind)
        if id is not None and db.execute(query, (id,)).fetchone() is None:
            raise OutOfBounds("the credential was ended while this was on its way")
