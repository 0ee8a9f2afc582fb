"""The newest format of a store. It stands alone, so that an agent, which has no store, can tell it without SQLite."""

from typing import Final

STORE_FORMAT: Final = 4
"""The number of migrations. Writ upgrades an older store, and refuses a newer one."""
