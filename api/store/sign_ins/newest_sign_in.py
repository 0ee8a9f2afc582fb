"""The newest sign-in of a person: it counts for all sessions of the person, at each server.

The provider's time of the ID token says which sign-in is newer, since the token has the groups as they were then. An
older one that comes later is refused, also after one that gave no rights. Of two in a second, the later to come counts.
"""

from typing import Final, NamedTuple

from ..database.connection import Connection
from ..errors import Conflict
from .session_rows import Person

MOST_AHEAD: Final = 300
"""The seconds that the provider's clock may be ahead of ours.

A later time was stored by a clock that was wrong. It refuses no sign-in, or it would keep a person out for years.
"""


class SignIn(NamedTuple):
    """A sign-in that the provider has confirmed. Its `id` counts once, and would be too old at `expires`.

    `issued` is when the provider issued the ID token. Both times are in epoch seconds.
    """

    id: bytes
    expires: int
    issued: int


class Overtaken(Conflict):
    """A newer sign-in of the same person came first."""


def take(db: Connection, person: Person, sign_in: SignIn, now: float) -> None:
    """Make a sign-in the newest of its person. Raises Conflict if it was used before, Overtaken if it is older."""
    _use_once(db, sign_in)
    row = db.execute("SELECT signed_in FROM people WHERE id = ?", (person.id,)).fetchone()
    if row is not None and sign_in.issued < row[0] <= now + MOST_AHEAD:
        raise Overtaken("a newer sign-in of this person came first")
    db.execute(
        "INSERT INTO people (id, issuer, subject, name, signed_in) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET name = excluded.name, signed_in = excluded.signed_in",
        (person.id, person.issuer, person.subject, person.name, sign_in.issued),
    )


def _use_once(db: Connection, sign_in: SignIn) -> None:
    if db.execute("SELECT 1 FROM used_sign_ins WHERE id = ?", (sign_in.id,)).fetchone() is not None:
        raise Conflict("this sign-in was used already; begin again")
    db.execute("INSERT INTO used_sign_ins (id, expires) VALUES (?, ?)", (sign_in.id, sign_in.expires))
