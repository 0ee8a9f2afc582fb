"""The locks of a store's writers: the rows of a table, which only the owner of the store can lock.

SQLite has one lock for all writers. Here, a write takes its locks in this order:

1. A write of the elements of some environments shares the store's lock, and takes the lock of each of these, sorted.
   Any other write takes the store's lock alone: of credentials, settings, promotions.
2. A write that shares the store's lock takes the lock of commits, when only its entries of the audit log are missing.

So nothing that a write reads changes under it: its environments and the credentials, or with the store's lock alone
everything. That is what SQLite shows it, and READ COMMITTED is enough. A stricter isolation would take its snapshot
before the lock, and fail each write that had to wait. A write that waits for the store's lock alone comes before those
that want to share it later.

The lock of commits is needed twice. The audit log is one chain, not one for each environment: so it also proves the
history of an environment that was deleted, and which of two changes came first. And the commit signal shows one commit
at a time.

Advisory locks would need no table. But any role that may connect to the database can take these, and so stop a store.
The rows of the environments themselves don't do: one that is made while a write waits has no row to lock.
"""

from collections.abc import Collection
from typing import Final
from zlib import crc32

ENVIRONMENT_LOCKS: Final = 256
"""The number of locks that the environments share. Two whose ids make one number wait for each other."""

_OF_COMMITS: Final = ENVIRONMENT_LOCKS

LOCKS_TABLE: Final = f"""
CREATE TABLE write_locks (number bigint PRIMARY KEY);
INSERT INTO write_locks SELECT generate_series(0, {_OF_COMMITS});
"""

LOCK_STORE: Final = "LOCK TABLE write_locks IN EXCLUSIVE MODE"
"""Takes the store's lock alone. A dump goes on beside it."""


def _locking(condition: str) -> str:
    return f"SELECT number FROM write_locks WHERE {condition} ORDER BY number FOR NO KEY UPDATE"  # shares the table


COMMIT_LOCK: Final = _locking(f"number = {_OF_COMMITS}")
"""Takes the lock of commits."""


def taking(environments: Collection[str]) -> str:
    """Returns the statement that takes the locks of a write of some environments, by their ids, or else the store's."""
    if not environments:
        return LOCK_STORE
    numbers = sorted({crc32(id.encode(errors="replace")) % ENVIRONMENT_LOCKS for id in environments})
    return _locking(f"number IN ({', '.join(map(str, numbers))})")
