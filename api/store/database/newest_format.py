"""The formats of a store. It stands alone, so that an agent, which has no store, can tell it without SQLite."""

from typing import Final

STORE_FORMAT: Final = 3
"""The number of migrations. Writ upgrades an older store, and refuses a newer one."""

LEAST_FORMAT: Final = 3
"""The oldest format whose programs may go on with a store on PostgreSQL that this program has upgraded.

Raise it with a migration that such a program can't work with: one that removes or changes what it reads or writes, or
adds what it must not ignore.
"""
