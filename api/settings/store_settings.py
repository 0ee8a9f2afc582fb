"""The settings of a store that several servers share."""

from dataclasses import dataclass
from typing import Final

from .setting_readers import SECONDS, choice
from .setting_rows import setting
from .store_url import STORE_URL

STORE: Final = "WRIT_STORE"
"""The variable with the URL of the store, which commands on a store read too."""

LOCAL: Final = "local"
CONSISTENCIES: Final = ("everywhere", LOCAL)
"""The values: who sees a write that was answered at the next request. The first is the default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """The place of the store, and the promise of servers that share it. `url` None: it is in the data directory."""

    url: str | None = setting(
        STORE,
        STORE_URL,
        None,
        "The database of PostgreSQL that has the store, as a URL. `--store` comes first. The default is a file in the"
        " data directory. Commands on a store read it too.",
    )
    consistency: str = setting(
        "WRIT_CONSISTENCY",
        choice(*CONSISTENCIES),
        CONSISTENCIES[0],
        "Where the next request sees a write that was answered. With `local`, writes on PostgreSQL wait for no other"
        " server, and other servers see them within a second.",
    )
    lease_seconds: float = setting(
        "WRIT_LEASE_SECONDS",
        SECONDS,
        2.0,
        "The longest that a write on PostgreSQL waits for a server that hangs. A server that can't reach the database"
        " for nine tenths of it decides nothing.",
    )
