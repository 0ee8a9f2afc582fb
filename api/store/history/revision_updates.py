"""The updates of an environment since a revision: its newest bundle and deltas, from one state of the database."""

from dataclasses import dataclass

from ..database.connection import Connection
from ..environments import Environment, environment_by_id


@dataclass(frozen=True, slots=True)
class Updates:
    """An environment, its newest bundle here as (revision, file), and the deltas after the revision `since`, in order.

    The deltas end before the first change that has no delta. An engine applies them at once: clients know of these
    commits.
    """

    env: Environment
    bundle: tuple[int, str] | None
    since: int
    deltas: tuple[bytes, ...]

    @property
    def are_complete(self) -> bool:
        """True if the deltas lead to the newest revision."""
        return self.since + len(self.deltas) == self.env.revision

    @property
    def required_revision(self) -> int | None:
        """The revision that a new bundle must have, or None if the deltas lead to the newest revision."""
        return None if self.are_complete else self.env.revision


def updates_since(
    db: Connection, id: str, since: int | None, most_bytes: int | None = None, folder: str = ""
) -> Updates:
    """Returns the updates after the revision `since`, or after that of the newest bundle in `folder` if it is None.

    They end before the delta that would make them longer than `most_bytes`. Raises NotFound.
    """
    env = environment_by_id(db, id)
    query = "SELECT revision, file FROM bundles WHERE environment = ? AND folder = ? ORDER BY revision DESC LIMIT 1"
    bundle: tuple[int, str] | None = db.execute(query, (env.number, folder)).fetchone()
    start = since if since is not None else bundle[0] if bundle else 0
    rows = db.execute(
        "SELECT delta FROM changes WHERE environment = ? AND revision > ? ORDER BY revision", (env.number, start)
    )
    deltas: list[bytes] = []
    size = 0
    for (delta,) in rows:
        size += len(delta or b"")
        if delta is None or (most_bytes is not None and size > most_bytes):
            break
        deltas.append(delta)
    rows.close()
    return Updates(env, bundle, start, tuple(deltas))


def record_bundle(db: Connection, env: Environment, revision: int, file: str, folder: str) -> None:
    """Record that the bundle of `revision` is published as `file` in `folder`, and forget earlier bundles there.

    Raises NotFound.
    """
    environment_by_id(db, env.id)
    earlier = "DELETE FROM bundles WHERE environment = ? AND folder = ? AND revision <= ?"
    db.execute(earlier, (env.number, folder, revision))
    db.execute("INSERT INTO bundles VALUES (?, ?, ?, ?)", (env.number, folder, revision, file))
