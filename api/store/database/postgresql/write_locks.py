"""The locks of a store's writers, which are advisory locks of their transactions.

SQLite has one lock for all writers. Here, a write takes its locks in this order:

1. A write of the elements of some environments takes the lock of each of these, sorted, and shares the store's lock.
   Any other write takes the store's lock alone: of credentials, settings, promotions.
2. A write that shares the store's lock takes the lock of commits, when only its entries of the audit log are missing.

So nothing that a write reads changes under it: its environments and the credentials, or with the store's lock alone
everything. That is what SQLite shows it, and READ COMMITTED is enough. A stricter isolation would take its snapshot
before the lock, and fail each write that had to wait. A write that waits for the store's lock alone comes before those
that want to share it later.

The lock of commits is needed twice. The audit log is one chain, not one for each environment: so it also proves the
history of an environment that was deleted, and which of two changes came first. And the commit signal shows one commit
at a time.
"""

from collections.abc import Collection
from typing import Final
from zlib import crc32

STORE_LOCK: Final = 0x57524954
"""The number of the store's lock, `WRIT` in ASCII. Two stores in one database would share it.

The lock of an environment has two numbers: this one, and one made from its id.
"""

COMMIT_LOCK: Final = f"SELECT pg_advisory_xact_lock({STORE_LOCK + 1}::bigint)"
"""Takes the lock of commits."""

_LOWEST: Final = -(2**31)
"""The lowest of PostgreSQL's second numbers."""


def taking(environments: Collection[str]) -> str:
    """Returns the statements that take the locks of a write of some environments, by their ids, or of any other write.

    Two environments whose ids make one number wait for each other.
    """
    if not environments:
        return f"SELECT pg_advisory_xact_lock({STORE_LOCK}::bigint)"
    numbers = sorted({crc32(id.encode(errors="replace")) + _LOWEST for id in environments})
    own = (f"SELECT pg_advisory_xact_lock({STORE_LOCK}, {number})" for number in numbers)
    return "; ".join((*own, f"SELECT pg_advisory_xact_lock_shared({STORE_LOCK}::bigint)"))
