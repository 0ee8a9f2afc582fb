"""What is said of PostgreSQL's errors, and of replicas that a role can't look at."""

import psycopg
import pytest
from psycopg import errors
from psycopg.conninfo import make_conninfo
from writ.api.store.database.driver_errors import QueryFailed
from writ.api.store.database.postgresql.connection import PostgresConnection
from writ.api.store.database.postgresql.problems import told
from writ.api.store.database.postgresql.replication import possible_loss
from writ.api.store.errors import StoreUnavailable

from tests.support import postgres
from tests.support.waiting import wait_until


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (errors.DeadlockDetected, "try again"),
        (errors.SerializationFailure, "try again"),
        (errors.OutOfMemory, "too little memory"),
        (errors.IdleInTransactionSessionTimeout, "took too long"),
        (errors.TransactionTimeout, "took too long"),
        (errors.IndexCorrupted, "REINDEX"),
        (errors.UntranslatableCharacter, "can't take or give a text"),
        (errors.InternalError_, "look into the log of the database"),
        (errors.AdminShutdown, "start the database"),
    ],
)
def test_each_error_about_the_database_has_its_remedy(error: type[psycopg.Error], said: str) -> None:
    failed = QueryFailed("of the driver")
    failed.__cause__ = error("of the driver")
    found = told(failed, "postgresql://db/writ", 5.0)
    assert isinstance(found, StoreUnavailable)
    assert said in str(found)
    assert ("start the database" in str(found)) == (error is errors.AdminShutdown)


@pytest.mark.postgresql
def test_a_role_that_can_t_look_at_replicas_says_nothing_false() -> None:
    place = postgres.needed()
    with postgres.server(place, fsync=True) as primary, psycopg.connect(primary, autocommit=True) as control:
        control.execute("CREATE ROLE tenant LOGIN")
        control.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        control.execute("SELECT pg_reload_conf()")
        with psycopg.connect(make_conninfo(primary, user="tenant"), autocommit=True) as conn:
            db = PostgresConnection(conn)
            assert wait_until(lambda: conn.execute("SHOW synchronous_standby_names").fetchone()[0])
            assert "no synchronous replica is connected" in (possible_loss(db) or "")
            with postgres.replica(place, primary):
                synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
                assert wait_until(lambda: control.execute(synchronous).fetchone())
                assert possible_loss(db) is None
