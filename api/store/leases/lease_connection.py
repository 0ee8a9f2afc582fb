"""Connections for leases: each statement is a durable transaction alone, and a dead network is noticed."""

from functools import partial
from typing import Final

import psycopg

from ..database.postgresql.sessions.conninfo import beginning_of, conninfo_of
from .lengths import LEASE_SECONDS

LEAST_CONNECT_SECONDS: Final = 2
"""The shortest time limit for a connection that libpq takes."""


def lease_connection(url: str, lease_seconds: float = LEASE_SECONDS) -> psycopg.Connection:
    """Returns a new connection to the primary. Raises psycopg.Error, StoreUnavailable.

    If the network does not acknowledge a packet for the length of a lease, the connection fails. The other end notices
    it too, so that no lock lasts.
    """
    milliseconds = round(lease_seconds * 1_000)
    own = {
        "application_name": "writ leases",
        "connect_timeout": max(LEAST_CONNECT_SECONDS, round(lease_seconds)),
        "keepalives_idle": 1,
        "keepalives_interval": 1,
        "tcp_user_timeout": milliseconds,
    }
    db = psycopg.connect(conninfo_of(url, {}, **own), autocommit=True)
    try:
        db.execute(beginning_of(url).encode())
    except BaseException:
        db.close()
        raise
    return db


def connecting(url: str, lease_seconds: float = LEASE_SECONDS) -> "partial[psycopg.Connection]":
    """Returns a function that opens such connections."""
    return partial(lease_connection, url, lease_seconds)
