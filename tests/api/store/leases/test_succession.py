"""The beginning of an epoch waits for a lock no longer than it may, and says so."""

import psycopg
import pytest
from writ.api.store.database.postgresql.write_locks import LOCK_STORE
from writ.api.store.errors import StoreUnavailable
from writ.api.store.leases import succession
from writ.api.store.leases.lengths import SECOND
from writ.api.store.leases.primary_line import take_line
from writ.api.store.leases.succession import Succession

pytestmark = pytest.mark.postgresql


def test_a_process_that_stops_with_the_lock_does_not_keep_it(conninfo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It kept all writers out, and all who would begin an epoch, until somebody ended it by hand."""
    monkeypatch.setattr(succession, "IDLE_SECONDS", 1)
    with psycopg.connect(conninfo, autocommit=True) as db, psycopg.connect(conninfo) as other:
        take_line(db, SECOND)
        other.execute("SET LOCAL lock_timeout = '60s'")
        stopped = Succession(db, SECOND)
        db.execute("BEGIN")
        stopped.lock()
        other.execute(LOCK_STORE)
        with pytest.raises(psycopg.errors.IdleInTransactionSessionTimeout):
            db.execute("COMMIT")


def test_a_lock_that_another_session_keeps_is_told(
    conninfo: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(succession, "LOCK_SECONDS", 1)
    with psycopg.connect(conninfo, autocommit=True) as db, psycopg.connect(conninfo) as other:
        take_line(db, SECOND)
        db.execute("UPDATE primary_line SET noted = noted")  # as a restored dump: another transaction writes the row
        other.execute(LOCK_STORE)
        with pytest.raises(StoreUnavailable, match="keeps the lock of writers, so no epoch can begin"):
            take_line(db, SECOND)
        assert "find it in `pg_locks`" in caplog.text
        other.rollback()
        take_line(db, SECOND)
        assert "the epoch of each environment is raised" in caplog.text
