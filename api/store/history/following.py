"""What a follower of an environment needs to get to its newest revision, read from one state of the database."""

from dataclasses import dataclass

from sqlite_utils import Database

from ..environments import Environment, environment_called


@dataclass(frozen=True, slots=True)
class Followed:
    """An environment, its newest bundle as (revision, file), and the deltas behind `since`, in order.

    They end in front of the first change that no delta carries. What they do lead to was answered to some client, so it
    is applied at once.
    """

    env: Environment
    bundle: tuple[int, str] | None
    since: int
    deltas: tuple[bytes, ...]

    @property
    def complete(self) -> bool:
        """Whether the deltas lead to the newest revision."""
        return self.since + len(self.deltas) == self.env.revision

    @property
    def needs(self) -> int | None:
        """The revision of which a bundle is needed to get there, None where the deltas lead there."""
        return None if self.complete else self.env.revision


def follow(db: Database, id: str, since: int | None) -> Followed:
    """What lies behind the revision `since`, behind the newest bundle's where it is None. Raises NotFound."""
    env = environment_called(db, id)
    query = "SELECT revision, file FROM bundles WHERE environment = ? ORDER BY revision DESC LIMIT 1"
    bundle: tuple[int, str] | None = db.execute(query, (env.number,)).fetchone()
    start = since if since is not None else bundle[0] if bundle else 0
    rows = db.execute(
        "SELECT delta FROM changes WHERE environment = ? AND revision > ? ORDER BY revision", (env.number, start)
    )
    deltas: list[bytes] = []
    for (delta,) in rows:
        if delta is None:
            break
        deltas.append(delta)
    rows.close()
    return Followed(env, bundle, start, tuple(deltas))
