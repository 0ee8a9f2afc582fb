"""Servers with leases on a real PostgreSQL: processes that hang, lost connections and hints, and a promoted replica."""

import asyncio
import logging

import psycopg
import pytest
from writ.api.store.errors import NotSignalled, StoreUnavailable
from writ.api.store.leases.confirmations import Confirmations
from writ.api.store.leases.keeper import Keeper
from writ.api.store.leases.lease_cell import LeaseCell, boot_ns, is_live
from writ.api.store.leases.lease_connection import connecting, lease_connection
from writ.api.store.leases.lease_tables import UNKNOWN_SERVER
from writ.api.store.leases.lengths import SECOND, lease_ns
from writ.api.store.leases.primary_line import take_line

from tests.api.store.leases.conftest import SECONDS
from tests.support import postgres
from tests.support.leased_server import BACKENDS, leased_servers, prepare, write
from tests.support.waiting import rounds, wait_until

MINUTE = 60


def ids(db):
    """Returns the servers that the database knows of."""
    return [row[0] for row in db.execute("SELECT id FROM servers ORDER BY id")]


def test_the_next_request_to_any_server_sees_a_confirmed_write(conninfo, db, confirmations):
    with leased_servers(conninfo, SECONDS, "a", "b") as servers:
        for _ in range(50):
            revision = write(db)
            confirmations.confirm().result(MINUTE)
            assert {server.ask() for server in servers} <= {revision, None}
        assert [server.ask_until_answered() for server in servers] == [50, 50]
    assert ids(db) == [], "a server that ends in order removes its row"


def test_a_hung_server_delays_one_write_and_never_answers_from_before_it(conninfo, db, confirmations):
    with leased_servers(conninfo, SECONDS, "a", "b") as (first, hung):
        hung.stop()
        revision = write(db)
        confirmations.confirm().result(MINUTE)
        assert first.ask() in (revision, None)
        while ids(db) != ["a"]:  # it is removed after the write was answered
            pass
        hung.send()
        hung.go_on()
        assert hung.answer() in (revision, None)
        assert hung.ask_until_answered() == revision


def test_writes_that_wait_at_the_same_time_share_tickets(conninfo, db, confirmations):
    with leased_servers(conninfo, SECONDS, "a", "b") as (first, hung):
        hung.stop()
        waits = []
        for _ in range(200):
            write(db)
            waits.append(confirmations.confirm())
        for wait in waits:
            wait.result(MINUTE)
        assert first.ask() in (200, None)
    assert db.execute("SELECT last_value FROM commit_tickets").fetchone()[0] < 200


def test_a_lost_hint_delays_a_confirmation_only(conninfo, db):
    with leased_servers(conninfo, SECONDS, "a") as (server,):
        revision = write(db)
        (ticket,) = db.execute("SELECT nextval('commit_tickets')").fetchone()
        while db.execute("SELECT confirmed FROM servers").fetchone()[0] < ticket:
            pass
        assert server.ask() in (revision, None)


def test_hints_that_are_no_tickets_change_nothing(conninfo, db, confirmations):
    with leased_servers(conninfo, SECONDS, "a") as (server,):
        for hint in ("", "x", str(2**62), "-1"):
            db.execute("SELECT pg_notify('writ_commits', %s)", (hint,))
        revision = write(db)
        confirmations.confirm().result(MINUTE)
        assert server.ask_until_answered() == revision


def test_a_server_registers_again_after_it_has_lost_its_connection(conninfo, db, confirmations):
    with leased_servers(conninfo, SECONDS, "a") as (server,):
        before = db.execute("SELECT number FROM servers").fetchone()
        db.execute(f"SELECT pg_terminate_backend(pid) FROM ({BACKENDS}) AS backends")
        while db.execute("SELECT number FROM servers").fetchone() <= before:
            pass
        revision = write(db)
        confirmations.confirm().result(MINUTE)
        assert server.ask_until_answered() == revision


def test_a_server_refuses_while_the_database_does_not_answer_it(conninfo, db, confirmations):
    """The statement that renews its lease hangs. No write waits for more than the lease."""
    with leased_servers(conninfo, SECONDS, "a", "b") as (cut, other):
        with psycopg.connect(conninfo) as blocking:
            blocking.execute("SELECT id FROM servers WHERE id = 'a' FOR UPDATE")
            for _ in range(2):
                revision = write(db)
                confirmations.confirm().result(MINUTE)
                assert cut.ask() is None
                assert other.ask() in (revision, None)
        assert cut.ask_until_answered() == revision


def test_a_server_alone_waits_for_none(conninfo, db):
    db.execute("INSERT INTO servers VALUES ('own', 1, 0, 1000000000000)")
    waits = Confirmations("own", connecting(conninfo, SECONDS), SECONDS)
    waits.confirm().result(MINUTE)
    waits.close()


def test_a_commit_is_counted_with_its_wait_before_its_caller_hears(conninfo, db):
    counted = []
    waits = Confirmations(
        None, connecting(conninfo, SECONDS), SECONDS, confirmed=lambda *one: counted.append((*one, heard.done()))
    )
    heard = waits.confirm()
    heard.result(MINUTE)
    db.execute("INSERT INTO servers VALUES ('gone', 1, 0, %s)", [lease_ns(SECONDS)])
    for _ in range(2):
        heard = waits.confirm()
        heard.result(MINUTE)
    waits.close()
    assert [(lapsed, told) for _, lapsed, told in counted] == [(False, False), (True, False), (False, False)]
    assert counted[1][0] >= SECONDS, "a write waits for the whole lease"
    assert all(seconds >= 0 for seconds, *_ in counted)


def test_the_cell_tells_how_long_the_lease_runs():
    cell = LeaseCell()
    assert (cell.remaining_seconds(), cell.share.servers) == (0, 0)
    cell.set(boot_ns() + MINUTE * SECOND)
    assert 0 < cell.remaining_seconds() <= MINUTE
    cell.share.set(1, 3)
    assert cell.share.servers == 3
    cell.set(boot_ns() - 1)
    assert cell.remaining_seconds() == 0


def test_a_client_that_goes_away_ends_no_other_wait(confirmations):
    async def write():
        task = asyncio.ensure_future(asyncio.wrap_future(confirmations.confirm()))
        await rounds()
        task.cancel()

    asyncio.run(write())
    confirmations.confirm().result(MINUTE)


def test_a_keeper_goes_on_after_any_failure(conninfo):
    failures = [OSError("no"), ValueError("")]

    def raise_signal():
        if failures:
            raise failures.pop()

    cell = LeaseCell()
    keeper = Keeper("one", connecting(conninfo, SECONDS), raise_signal, cell, logging.getLogger("tests"), SECONDS)
    keeper.start()
    assert wait_until(lambda: is_live(cell.end[0]))
    keeper.stop()


def test_a_write_is_not_confirmed_if_the_database_is_gone(conninfo, db, confirmations):
    db.execute("DROP SEQUENCE commit_tickets")
    with pytest.raises(NotSignalled, match="the change is stored"):
        confirmations.confirm().result(MINUTE)


def test_a_connection_that_was_idle_for_long_is_replaced(conninfo, db, confirmations):
    """The database, or something between, has ended it."""
    with leased_servers(conninfo, SECONDS, "a") as (server,):
        for _ in range(3):
            db.execute(f"SELECT pg_terminate_backend(pid, 60000) FROM ({BACKENDS}) AS backends")
            revision = write(db)
            confirmations.confirm(take_line(db, 1)).result(MINUTE)
            assert server.ask() in (revision, None)


def test_a_commit_without_a_ticket_is_seen_too(conninfo, db):
    """Its writer was killed after the commit, or has lost the database."""
    with leased_servers(conninfo, SECONDS, "a") as (server,):
        for _ in range(3):
            revision = write(db)
            assert wait_until(lambda newest=revision: server.ask() == newest)


def test_a_changed_credential_without_a_ticket_raises_the_signal(conninfo, db):
    signals, cell = [], LeaseCell()
    keeper = Keeper(
        "one", connecting(conninfo, SECONDS), lambda: signals.append(1), cell, logging.getLogger("tests"), SECONDS
    )
    keeper.start()
    assert wait_until(lambda: is_live(cell.end[0]))
    (confirmed,) = db.execute("SELECT number FROM servers").fetchone()
    assert wait_until(lambda: db.execute("SELECT number FROM servers").fetchone()[0] > confirmed + 3)
    before = len(signals)
    db.execute("UPDATE credential_generation SET number = number + 1")
    assert wait_until(lambda: len(signals) > before)
    keeper.stop()
    assert before == 1, "a renewal without news raises no signal"


def test_tickets_begin_again_after_a_dump_was_restored(conninfo, db, confirmations):
    """As `pg_restore --clean` does it under a server: the tables are there again, and the tickets are lower."""
    with leased_servers(conninfo, SECONDS, "a") as (server,):
        for _ in range(12):
            write(db)
            confirmations.confirm().result(MINUTE)
        assert server.ask_until_answered() == 12
        db.execute("BEGIN; UPDATE primary_line SET single = true; SELECT setval('commit_tickets', 4)")
        db.execute("UPDATE environments SET revision = 4; COMMIT")
        assert wait_until(lambda: db.execute("SELECT epoch > 1 FROM environments").fetchone()[0])
        for revision in range(5, 16):
            assert write(db) == revision
            confirmations.confirm(take_line(db, 1)).result(MINUTE)
            assert server.ask() in (revision, None)
        assert server.ask_until_answered() == revision


def test_a_write_during_a_restore_is_not_confirmed(conninfo, db, confirmations):
    """The rows of the servers are from the dump, and leases run of which they know nothing."""
    confirmations.confirm().result(MINUTE)
    db.execute("UPDATE primary_line SET single = true")
    with pytest.raises(NotSignalled):
        confirmations.confirm().result(MINUTE)
    confirmations.confirm().result(MINUTE)
    assert db.execute("SELECT epoch > 1 FROM environments").fetchone() == (True,)


def test_a_write_of_another_primary_is_not_confirmed(conninfo, db, confirmations):
    line = take_line(db, 1)
    confirmations.confirm(line).result(MINUTE)
    with pytest.raises(NotSignalled):
        confirmations.confirm(line._replace(timeline=line.timeline + 1)).result(MINUTE)


def test_a_weak_commit_is_made_strong(conninfo):
    with lease_connection(f"{conninfo} options='-c synchronous_commit=off'") as db:
        assert db.execute("SHOW synchronous_commit").fetchone() == ("on",)
    with lease_connection(f"{conninfo} options='-c synchronous_commit=remote_apply'") as db:
        assert db.execute("SHOW synchronous_commit").fetchone() == ("remote_apply",)


def test_a_promoted_replica_raises_the_epoch_and_waits_for_one_lease():
    place = postgres.needed()
    with postgres.server(place) as primary:
        prepare(primary)
        with lease_connection(primary) as db:
            line = take_line(db, 1)
            db.execute("INSERT INTO servers VALUES ('a', 1, 7, 3000000)")
        with postgres.replica(place, primary) as (standby, promote):
            with lease_connection(standby) as db, pytest.raises(StoreUnavailable, match="name the primary"):
                take_line(db, 1)
            promote()
            with lease_connection(standby) as db:
                promoted = take_line(db, 1)
                assert promoted[:3] == (line.system, line.timeline + 1, line.database)
                assert promoted.noted > line.noted
                assert take_line(db, 1) == promoted
                assert db.execute("SELECT epoch > 2, revision FROM environments").fetchall() == [(True, 0)]
                assert db.execute("SELECT number > 2 FROM credential_generation").fetchone() == (True,)
                cause = "SELECT body::json -> 'details' ->> 'cause' FROM audit ORDER BY number DESC LIMIT 1"
                assert db.execute(cause).fetchone() == ("promotion",)
                assert db.execute("SELECT id, confirmed, lease FROM servers").fetchall() == [
                    (UNKNOWN_SERVER, -1, 3_000_000)
                ]
            waits = Confirmations(None, connecting(standby, SECONDS), SECONDS)
            waits.confirm().result(MINUTE)
            waits.close()
            with lease_connection(standby) as db:
                assert ids(db) == []
