"""The clients whose access tokens may read one environment, and the tokens that are revoked."""

from dataclasses import dataclass

from ..database.connection import Connection


@dataclass(frozen=True, slots=True)
class Admitted:
    """The ids of clients, and the ids (`jti`) of revoked tokens, at a generation of the credentials."""

    generation: int
    clients: tuple[str, ...]
    revoked: tuple[str, ...]


def admitted(db: Connection, uuid: str) -> Admitted:
    """Returns who may read the environment of this UUID. A client of any scope may: scopes are cumulative."""
    clients = db.execute(
        "SELECT id FROM clients WHERE revoked IS NULL AND scopes <> ''"
        " AND (environments IS NULL OR EXISTS (SELECT 1 FROM json_each(clients.environments) WHERE value = ?))",
        (uuid,),
    ).fetchall()
    revoked = db.execute("SELECT id FROM revoked_tokens").fetchall()
    return Admitted(generation(db), tuple(id for (id,) in clients), tuple(id for (id,) in revoked))


def generation(db: Connection) -> int:
    """Returns a number that rises with every change of a credential."""
    (number,) = db.execute("SELECT number FROM credential_generation").fetchone()
    return int(number)
