"""Finds the actors who can act as a credential, and so may not approve in its place."""

from ..actor import ADMINISTRATORS, PERSON_PREFIX, Actor, administrator_of
from ..database.connection import Connection
from ..errors import NotPermitted

_HANDS = """
WITH RECURSIVE hands(credential) AS (
    SELECT maker FROM credential_makers WHERE credential = ?
    UNION SELECT maker FROM credential_makers JOIN hands USING (credential)
) SELECT credential FROM hands
"""


def record_maker(db: Connection, credential: str, maker: Actor) -> None:
    """Record that `maker` made a credential or its secret, so that both count as one in approvals.

    `credential` is its name as an actor.
    """
    row = credential, administrator_of(maker.name)
    db.execute("INSERT INTO credential_makers VALUES (?, ?) ON CONFLICT DO NOTHING", row)


def record_widener(db: Connection, credential: str, widener: Actor) -> None:
    """Record that `widener` gave a credential more rights: it may have been in its hands with less.

    A credential of unknown making stays one: its unknown maker may know its secret.
    """
    if _has_maker(db, credential):
        record_maker(db, credential, widener)


def refuse_approver(db: Connection, approver: Actor, requester: str) -> None:
    """Raises NotPermitted if `approver` must not approve what the actor named `requester` asked for.

    The actor who makes a credential, renews its secret or gives it more rights can act in its name. So neither that
    actor, nor its maker, and so on, counts as a second person; nor do two credentials that one credential made. Only
    the administrators may make both. If any of these credentials is of unknown making, there is no approval.

    Another person approves what a person asked for. A key names no person: the one who asked may have it too.
    """
    approving_name, requester = administrator_of(approver.name), administrator_of(requester)
    if approving_name == requester:
        another = "person" if _is_person(requester) else "credential"
        raise NotPermitted(f"another {another} must approve what this one asked for")
    if _is_person(requester) and not _is_person(approving_name):
        raise NotPermitted("a person asked for this, so another person must approve it: sign in to the console")
    approving, asking = _hands(db, approving_name), _hands(db, requester)
    for one in sorted((approving | asking) - ADMINISTRATORS):
        if not _is_person(one) and not _has_maker(db, one):
            raise NotPermitted(
                f"nothing is known of who made `{one}`, so it counts for no approval; make a new credential"
            )
    both = (approving & asking) - (ADMINISTRATORS - {approving_name, requester})
    if both:
        raise NotPermitted(
            f"`{min(both)}` can act as this credential and as the one that asked for the promotion; somebody else must"
            " approve"
        )


def _hands(db: Connection, credential: str) -> set[str]:
    """Returns the credential itself, the actors who made, renewed or widened it, and so on."""
    return {credential, *(name for (name,) in db.execute(_HANDS, (credential,)))}


def _has_maker(db: Connection, credential: str) -> bool:
    query = "SELECT 1 FROM credential_makers WHERE credential = ?"
    return db.execute(query, (credential,)).fetchone() is not None


def _is_person(actor: str) -> bool:
    """Returns whether an actor is a person who signed in. No credential makes a person."""
    return actor.startswith(PERSON_PREFIX)
