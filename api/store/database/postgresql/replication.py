"""Finds out whether the replicas of a primary have what was acknowledged, so that a fail-over loses nothing."""

from typing import Final

from .connection import PostgresConnection

_SETTINGS: Final = (
    "SELECT current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),"
    " current_setting('fsync')"
)
_REPLICAS: Final = "SELECT count(*) FROM pg_stat_replication WHERE coalesce(sync_state, 'sync') IN ('sync', 'quorum')"
"""Also counts those whose state this role can't see: it would need the rights of `pg_read_all_stats`."""

_WAITING: Final = ("on", "remote_apply")
"""The values of `synchronous_commit` with which a commit is on the disk of a replica before it is acknowledged."""


def possible_loss(db: PostgresConnection) -> str | None:
    """Returns a sentence about acknowledged changes that a failure may lose, or None."""
    ((commits, names, syncs),) = db.execute(_SETTINGS).fetchall()
    ((replicas,),) = db.execute(_REPLICAS).fetchall()
    if syncs != "on":
        return "the database runs with `fsync = off`, so a power failure may lose all of it"
    if not names:
        none = "no replica is synchronous (`synchronous_standby_names` is empty)"
        return f"{none}, so a fail-over may lose the last changes"
    if commits not in _WAITING:
        return f"`synchronous_commit` is `{commits}`, so a fail-over may lose the last changes"
    if not replicas:
        return "no synchronous replica is connected now, so writes wait for one"
    return None
