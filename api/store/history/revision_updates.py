"""The updates of an environment since a revision: its newest bundle and deltas, from one state of the database."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..database.connection import Connection
from ..database.connections import StoreConnections
from ..environments import Environment, environment_by_id

_UNBUILT: Final = """
SELECT environments.id, max(unanswered.revision) FROM unanswered JOIN environments ON number = environment
WHERE NOT EXISTS (
    SELECT 1 FROM bundles WHERE bundles.environment = unanswered.environment AND folder = ?
    AND bundles.revision >= unanswered.revision
)
GROUP BY environments.id
"""


@dataclass(frozen=True, slots=True)
class Updates:
    """An environment, its newest bundle here as (revision, file), and the deltas after the revision `since`, in order.

    The deltas end before the first change that has no delta. An engine applies them at once: clients know of these
    commits.

    `unanswered` is the first revision that no writer has answered yet, as far as that is known. Nor has one answered a
    later revision.
    """

    env: Environment
    bundle: tuple[int, str] | None
    since: int
    deltas: tuple[bytes, ...]
    unanswered: int | None = None

    @property
    def are_complete(self) -> bool:
        """True if the deltas lead to the newest revision."""
        return self.since + len(self.deltas) == self.env.revision

    @property
    def required_revision(self) -> int | None:
        """The revision that a new bundle must have, or None if the deltas lead to the newest revision."""
        return None if self.are_complete else self.env.revision

    @property
    def may_decide(self) -> bool:
        """True if no client may know of a commit that the deltas do not lead to."""
        led_to = self.since + len(self.deltas)
        return self.are_complete or (self.unanswered is not None and self.unanswered <= led_to + 1)


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
    is_complete = start + len(deltas) == env.revision
    return Updates(env, bundle, start, tuple(deltas), None if is_complete else _unanswered(db, env, folder))


class Unbuilt:
    """The bundles that this server must build before writes of others can be answered."""

    def __init__(self, connections: StoreConnections) -> None:
        self._connections = connections

    def __call__(self) -> Sequence[tuple[str, int]]:
        """Returns the environments with an unanswered commit without a delta whose bundle is not here, each with the
        revision that the bundle must have. Raises StoreUnavailable.
        """
        folder = self._connections.folder
        if not folder:  # no other server has the database
            return ()
        with self._connections.reading() as db:
            found: list[tuple[str, int]] = db.execute(_UNBUILT, (folder,)).fetchall()
            return found


def _unanswered(db: Connection, env: Environment, folder: str) -> int | None:
    """Only servers that have a `folder` share a database, and only they have to know of commits of others."""
    if not folder:
        return None
    ((first,),) = db.execute("SELECT min(revision) FROM unanswered WHERE environment = ?", (env.number,)).fetchall()
    return None if first is None else int(first)


def record_bundle(db: Connection, env: Environment, revision: int, file: str, folder: str) -> None:
    """Record that the bundle of `revision` is published as `file` in `folder`, and forget earlier bundles there.

    Raises NotFound.
    """
    environment_by_id(db, env.id)
    earlier = "DELETE FROM bundles WHERE environment = ? AND folder = ? AND revision <= ?"
    db.execute(earlier, (env.number, folder, revision))
    db.execute("INSERT INTO bundles VALUES (?, ?, ?, ?)", (env.number, folder, revision, file))
