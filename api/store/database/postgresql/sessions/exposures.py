"""Finds what lets other machines or roles get between Writ and its database."""

from collections.abc import Iterator
from typing import Any, Final

import psycopg

from .....settings.setting_readers import is_loopback

_VERIFIED: Final = ("verify-ca", "verify-full")
"""The values of `sslmode` with which the driver verifies the certificate of the database."""

_OTHERS: Final = """
SELECT pg_catalog.quote_ident(pg_catalog.current_database()) WHERE EXISTS (
    SELECT FROM pg_catalog.pg_roles WHERE rolcanlogin AND NOT rolsuper AND rolname <> current_user
) AND pg_catalog.has_database_privilege('public', pg_catalog.current_database(), 'CONNECT')
"""
"""Reads the name of the database if each role may connect, and there is another one than the store's."""


def exposures(db: psycopg.Connection[Any]) -> Iterator[str]:
    """Yields a sentence about each, with what to do. Raises psycopg.Error."""
    address, mode = db.info.hostaddr, db.info.get_parameters().get("sslmode", "prefer")
    if unverified(address, mode):
        yield (
            f"the connection to the database at {address} is not verified (`sslmode={mode}`), so that a machine in"
            " between could read and change the store; set `sslmode=verify-full` in the URL"
        )
    for (name,) in db.execute(_OTHERS):
        yield (
            "other roles may connect to the database of the store, so that they could use up its connections; run"
            f" `REVOKE CONNECT, TEMP ON DATABASE {name} FROM PUBLIC`"
        )


def unverified(address: str, mode: str) -> bool:
    """Returns whether a connection to an address, or to a socket (""), may end at another machine than the database's.

    >>> unverified("192.0.2.1", "require"), unverified("127.0.0.1", "prefer"), unverified("", "prefer")
    (True, False, False)
    """
    return bool(address) and not is_loopback(address) and mode not in _VERIFIED
