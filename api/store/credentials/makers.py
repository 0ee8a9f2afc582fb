"""Who made a credential, and so may not approve in its place."""

from sqlite_utils import Database

from ..actor import ADMINISTRATORS, Actor
from ..errors import NotPermitted

_MAKERS = """
WITH RECURSIVE made(credential) AS (
    SELECT ?1 UNION SELECT maker FROM credential_makers JOIN made USING (credential)
) SELECT 1 FROM made WHERE credential = ?2
"""
"""Whether ?2 made ?1, or a credential that made it, and so on."""


def record_maker(db: Database, credential: str, maker: Actor) -> None:
    """Record that `maker` made a credential or its secret, so that both count as one in approvals.

    `credential` is its name as an actor.
    """
    db.execute("INSERT OR IGNORE INTO credential_makers VALUES (?, ?)", (credential, maker.name))


def refuse_approver(db: Database, approver: Actor, requester: str) -> None:
    """Raises NotPermitted if `approver` must not approve what the actor named `requester` asked for.

    Whoever makes a credential, or renews its secret, can act in its name. So neither that one nor whoever made that
    one, and so on, counts as somebody else. A credential of unknown making may not approve.
    """
    if approver.name == requester:
        raise NotPermitted("another credential must approve what this one asked for")
    for one in (approver.name, requester):
        if one not in ADMINISTRATORS and not _has_maker(db, one):
            raise NotPermitted(
                f"nothing is known of who made `{one}`, so it counts for no approval; make a new credential"
            )
    if _made(db, approver.name, requester) or _made(db, requester, approver.name):
        raise NotPermitted(
            "one made the other of this credential and the one that asked for the promotion; somebody else must approve"
        )


def _has_maker(db: Database, credential: str) -> bool:
    query = "SELECT 1 FROM credential_makers WHERE credential = ?"
    return db.execute(query, (credential,)).fetchone() is not None


def _made(db: Database, maker: str, credential: str) -> bool:
    return db.execute(_MAKERS, (credential, maker)).fetchone() is not None
