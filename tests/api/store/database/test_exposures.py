"""What lets other machines or roles get between Writ and its database is told."""

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from writ.api.store.database.postgresql.sessions.exposures import unverified
from writ.api.store.database.postgresql.write_locks import COMMIT_LOCK, taking
from writ.api.store.leases.database_users import without_lease
from writ.api.store.store import Store

from tests.support import postgres

REVOKE: Final = "REVOKE CONNECT, TEMP ON DATABASE postgres FROM PUBLIC"


def own_address() -> str:
    """An IPv4 address of this machine that others use, or "". Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("192.0.2.1", 9))
        except OSError:
            return ""
        return str(asked.getsockname()[0])


@pytest.fixture
def database() -> Iterator[str]:
    """A connection string to a cluster that listens at an address of this machine, too."""
    place = postgres.needed()
    with postgres.server(place, address=own_address() or "127.0.0.1") as conninfo:
        yield conninfo


def told(conninfo: str, folder: Path) -> list[str]:
    with closing(Store.open(folder, server=without_lease(conninfo))) as store:
        return list(store.exposures())


@pytest.mark.postgresql
def test_other_roles_that_may_connect_are_told(database: str, tmp_path: Path) -> None:
    assert told(database, tmp_path) == []
    with psycopg.connect(database, autocommit=True) as control:
        control.execute("CREATE ROLE tenant LOGIN")
        (said,) = told(database, tmp_path)
        assert f"run `{REVOKE}`" in said
        control.execute(REVOKE)
    assert told(database, tmp_path) == []


@pytest.mark.postgresql
@pytest.mark.parametrize("lock", [taking([]), taking(["default"]), COMMIT_LOCK], ids=["store", "one", "commits"])
def test_other_roles_take_no_lock_of_the_store(database: str, lock: str, tmp_path: Path) -> None:
    """Its writers took advisory locks once, which any role can take that may connect."""
    with closing(Store.open(tmp_path, server=without_lease(database))):
        with psycopg.connect(database, autocommit=True) as control:
            control.execute("CREATE ROLE tenant LOGIN")
        own = make_conninfo(database, user="tenant")
        with psycopg.connect(own) as tenant, pytest.raises(psycopg.errors.InsufficientPrivilege):
            tenant.execute(lock.encode())


@pytest.mark.postgresql
def test_a_remote_connection_that_is_not_verified_is_told(database: str, tmp_path: Path) -> None:
    address = own_address()
    if not address or address.startswith("127."):
        pytest.skip("this machine has no address for others")
    (said,) = told(make_conninfo(database, host=address), tmp_path)
    assert f"at {address} is not verified (`sslmode=prefer`)" in said
    (said,) = told(make_conninfo(database, host="db.example", hostaddr=address, sslmode="disable"), tmp_path)
    assert "(`sslmode=disable`)" in said


@pytest.mark.parametrize("mode", ["disable", "prefer", "require"])
def test_which_connections_are_verified(mode: str) -> None:
    assert unverified("192.0.2.1", mode)
    assert unverified("2001:db8::1", mode)
    assert not any(unverified(address, mode) for address in ("", "127.0.0.1", "::1"))
    assert not any(unverified("192.0.2.1", one) for one in ("verify-ca", "verify-full"))
