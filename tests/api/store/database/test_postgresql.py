"""A store on PostgreSQL: its writers, its lost connections, its refusals, and its texts."""

import os
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.conninfo import make_conninfo
from writ.api.store.database.audit_tables import AUDIT
from writ.api.store.database.connections import BUSY_SECONDS, IDLE_SECONDS, LARGE_WRITE_IDLE_SECONDS
from writ.api.store.database.postgresql import connections
from writ.api.store.database.postgresql.connection import PostgresConnection
from writ.api.store.database.postgresql.connections import READ_IDLE_SECONDS, PostgresConnections
from writ.api.store.database.postgresql.poolers import refuse_shared_sessions
from writ.api.store.database.postgresql.sessions.conninfo import place_of
from writ.api.store.database.postgresql.texts import read, written
from writ.api.store.database.postgresql.write_locks import LOCK_STORE
from writ.api.store.database.time_limit import TimeLimit
from writ.api.store.elements.edits import Create, Put
from writ.api.store.errors import Rejected, StoreUnavailable, WriteTakesLong
from writ.api.store.leases.database_users import ServerLease, without_lease
from writ.api.store.store import Store
from writ.api.store.writing import Write

from tests.support import pgbouncer
from tests.support.store_engines import END_SESSIONS, Engine, empty_schema
from tests.support.stored import ACTOR, stored, write


@pytest.fixture
def database(postgresql: str) -> Iterator[Engine]:
    with empty_schema(postgresql) as found:
        yield found


@pytest.fixture
def servers(database: Engine, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Two servers of one database."""
    found = database.open(tmp_path / "one"), database.open(tmp_path / "two")
    yield found
    for store in found:
        store.close()
        store.watch.close()


def test_writers_of_two_servers_take_turns(servers: tuple[Store, Store]) -> None:
    def work(store: Store, name: str) -> None:
        for number in range(10):
            write(store, Put("roles", (f"{name}{number}",), {}))

    threads = [threading.Thread(target=work, args=(store, name)) for store, name in zip(servers, "ab", strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [store.revision_of("default") for store in servers] == [20, 20]
    assert len(stored(servers[0])["roles"]) == 20
    with servers[0]._connections.reading() as db:
        numbers = [number for (number,) in db.execute("SELECT number FROM audit ORDER BY number")]
    assert numbers == [*range(1, len(numbers) + 1)]


@pytest.mark.parametrize("asked", ["server_encoding", "writ_format"])
def test_another_server_may_fill_the_database_between_two_questions(
    asked: str, database: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have the store. The tables that the other one made were once taken for those of another program."""
    execute, others = PostgresConnection.execute, iter([tmp_path / "other"])

    def executed(self: PostgresConnection, *question: Any) -> Any:
        answer = execute(self, *question)
        if asked in question[0]:
            for other in others:
                database.open(other).close()
        return answer

    monkeypatch.setattr(PostgresConnection, "execute", executed)
    store = database.open(tmp_path / "this")
    assert store.revision_of("default") == 0
    store.close()


def test_a_write_waits_for_another_one_no_longer_than_it_may(database: Engine, tmp_path: Path) -> None:
    assert database.url is not None
    store = database.open(tmp_path, busy_seconds=0.05)
    with psycopg.connect(database.url) as other:
        other.execute(LOCK_STORE)
        with pytest.raises(StoreUnavailable, match=r"was locked by another write for 0\.05 s; try again"):
            write(store, Create("roles", {"id": "r"}))
    write(store, Create("roles", {"id": "r"}))
    store.close()


def test_a_write_that_stops_keeps_no_other_one_waiting_for_long(database: Engine, tmp_path: Path) -> None:
    """The other one succeeded after 30 seconds, and gave up after 5."""
    assert database.url is not None
    server = without_lease(database.url)
    assert server.idle_seconds == LARGE_WRITE_IDLE_SECONDS
    assert ServerLease(database.url).database.idle_seconds == IDLE_SECONDS < BUSY_SECONDS
    stopped = Store.open(tmp_path / "stopped", server=replace(server, idle_seconds=0.5))
    other = database.open(tmp_path / "other")
    with pytest.raises(StoreUnavailable), stopped._connections.writing():
        write(other, Create("roles", {"id": "r"}))
    assert [role["id"] for role in stored(other)["roles"]] == ["r"]
    stopped.close()
    other.close()


READS: dict[str, Callable[[PostgresConnections], AbstractContextManager[PostgresConnection]]] = {
    "a read": lambda connections: connections.reading(),
    "a trial": lambda connections: connections.trying(TimeLimit(60.0)),
}


@pytest.mark.parametrize("begin", READS.values(), ids=READS)
def test_a_read_that_stops_keeps_no_upgrade_waiting_for_ever(
    begin: Callable[[PostgresConnections], AbstractContextManager[PostgresConnection]],
    database: Engine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server that was stopped in a read kept its locks, so `writ upgrade` had no end."""
    assert database.url is not None
    store = database.open(tmp_path)
    monkeypatch.setattr(connections, "_READING", connections._READING.replace(f"{READ_IDLE_SECONDS}s", "200ms"))
    assert isinstance(store._connections, PostgresConnections)
    with pytest.raises(StoreUnavailable), begin(store._connections) as db:
        stand(db, database.url)
    assert "roles" not in stored(store)
    store.close()


def stand(db: Any, url: str) -> None:
    """Do nothing in a read until another session has changed the table that it has read."""
    db.execute("SELECT count(*) FROM roles")
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("BEGIN; LOCK TABLE roles; ROLLBACK")
    db.execute("SELECT count(*) FROM roles")


def lose(db: Any, other: "psycopg.Connection[Any]") -> None:
    other.execute(END_SESSIONS)
    db.execute("SELECT count(*) FROM roles")


def test_a_thread_that_lost_a_trial_and_then_a_write_says_so(database: Engine, tmp_path: Path) -> None:
    """It was a TypeError: the first loss had dropped the one connection, and left nothing in its place."""
    assert database.url is not None
    store = database.open(tmp_path)
    assert isinstance(store._connections, PostgresConnections)
    with psycopg.connect(database.url, autocommit=True) as other:
        for block in (store._connections.trying(TimeLimit(60.0)), store._connections.writing()):
            with pytest.raises(StoreUnavailable), block as db:
                lose(db, other)
    write(store, Create("roles", {"id": "r"}))
    store.close()


def test_a_read_sees_one_state(servers: tuple[Store, Store]) -> None:
    one, other = servers
    query = "SELECT count(*) FROM roles"
    with one._connections.reading() as db:
        before = db.execute(query).fetchone()
        write(other, Create("roles", {"id": "r"}))
        assert db.execute(query).fetchone() == before == (0,)
    with one._connections.reading() as db:
        assert db.execute(query).fetchone() == (1,)


def test_a_write_that_is_tried_keeps_no_other_one_waiting(servers: tuple[Store, Store]) -> None:
    one, other = servers
    with one._connections.trying(TimeLimit(60.0)) as db:
        row = (1 << 40, 1, 1, b"{}", "r", "r")
        db.execute("INSERT INTO roles (place, environment, version, body, id, name) VALUES (?, ?, ?, ?, ?, ?)", row)
        write(other, Create("roles", {"id": "r"}))
        assert db.execute("SELECT count(*) FROM roles").fetchone() == (1,)
        db.execute("DELETE FROM roles")
        assert db.execute("SELECT count(*) FROM roles").fetchone() == (0,)
    assert [role["id"] for role in stored(one)["roles"]] == ["r"]


def test_a_query_ends_with_its_time(servers: tuple[Store, Store]) -> None:
    limit = TimeLimit(0.1)
    limit.begin()
    with pytest.raises(WriteTakesLong), servers[0]._connections.trying(limit) as db:
        db.execute("SELECT pg_sleep(60)")
    write(servers[0], Create("roles", {"id": "r"}))


def write_while_sessions_end(store: Store, control: "psycopg.Connection[tuple[object, ...]]") -> None:
    with store._connections.writing() as db:
        db.execute("UPDATE environments SET description = 'lost'")
        control.execute(END_SESSIONS)


def test_a_lost_connection_is_replaced(servers: tuple[Store, Store], database: Engine) -> None:
    assert database.url is not None
    store = servers[0]
    write(store, Create("roles", {"id": "r"}))
    version = store.watch.version()
    with psycopg.connect(database.url, autocommit=True) as control:
        control.execute(END_SESSIONS)
        assert [role["id"] for role in stored(store)["roles"]] == ["r"]
        with pytest.raises(StoreUnavailable, match="not known whether a change is stored"):
            write_while_sessions_end(store, control)
    write(store, Create("roles", {"id": "s"}))
    store.watch.beat()
    assert store.watch.version() != version


def test_a_commit_of_another_server_is_seen_after_the_next_beat(servers: tuple[Store, Store]) -> None:
    one, other = servers
    before = one.watch.version()
    one.watch.beat()
    assert one.watch.version() == before
    write(other, Create("roles", {"id": "r"}))
    one.watch.beat()
    assert one.watch.version() != before


def test_a_child_process_leaves_the_connections_of_its_parent(servers: tuple[Store, Store]) -> None:
    store = servers[0]
    write(store, Create("roles", {"id": "r"}))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            write(store, Create("roles", {"id": "s"}))
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    write(store, Create("roles", {"id": "t"}))
    assert [role["id"] for role in stored(store)["roles"]] == ["r", "s", "t"]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("CREATE TABLE mine (id int)", "is not a store of Writ; use an empty database"),
        (
            "CREATE TABLE writ_format (number bigint, least bigint); INSERT INTO writ_format VALUES (99, 1)",
            "has format 99",
        ),
    ],
)
def test_what_is_no_store_or_a_newer_one_is_refused(database: Engine, tmp_path: Path, made: str, said: str) -> None:
    assert database.url is not None
    with psycopg.connect(database.url, autocommit=True) as other:
        other.execute(made.encode())
    with pytest.raises(StoreUnavailable, match=said):
        database.open(tmp_path)


def test_a_database_that_does_not_answer_is_told_without_the_password(tmp_path: Path) -> None:
    url = "postgresql://writ:secret@127.0.0.1:1/writ"
    with pytest.raises(StoreUnavailable, match="can't be reached") as raised:
        Store.open(tmp_path, server=without_lease(url))
    assert "secret" not in str(raised.value)
    assert "postgresql://writ@127.0.0.1:1/writ" in str(raised.value)


@pytest.mark.parametrize("mode", ["transaction", "session"])
def test_a_pooler_that_shares_sessions_is_refused(postgresql: str, tmp_path: Path, mode: str) -> None:
    program = pgbouncer.program()
    if program is None:
        pytest.skip("PgBouncer is not installed: apt-get install pgbouncer")
    with pgbouncer.pooler(program, postgresql, mode) as url:
        connections = PostgresConnections(without_lease(url), tmp_path)
        if mode == "session":
            refuse_shared_sessions(connections)
            return
        with pytest.raises(StoreUnavailable, match="pooler in transaction mode"):
            refuse_shared_sessions(connections)


def test_an_unknown_database_is_told(postgresql: str, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="correct the URL"):
        Store.open(tmp_path, server=without_lease(make_conninfo(postgresql, dbname="nowhere")))


def test_a_backup_is_made_by_the_tools_of_the_database(servers: tuple[Store, Store], tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="pg_dump"):
        servers[0].backup(tmp_path / "copy")


def test_ids_that_are_too_long_for_an_index_are_refused(servers: tuple[Store, Store]) -> None:
    digits = random.Random(7)
    role, type, id = ("".join(chr(digits.randrange(0x10000, 0x20000)) for _ in range(500)) for _ in range(3))
    write(servers[0], Create("roles", {"id": role}))
    with pytest.raises(Rejected, match="longer together"):
        write(servers[0], Create("assignments", {"role": role, "subject": {"type": type, "id": id}}))


@pytest.mark.parametrize("trigger", ["audit_unchanged", "audit_grows", "audit_kept"])
def test_a_trigger_that_is_gone_is_found(servers: tuple[Store, Store], trigger: str) -> None:
    with servers[0]._connections.writing() as db:
        assert db.fault_of_tables("audit", AUDIT) is None
        db.execute(f"DROP TRIGGER {trigger} ON audit")
        assert trigger in (db.fault_of_tables("audit", AUDIT) or "")


@given(st.lists(st.text(st.sampled_from("\0\1\2ab"), max_size=6)))
def test_texts_keep_their_content_order_and_parts(texts: list[str]) -> None:
    assert [read(written(text)) for text in texts] == texts
    assert all("\0" not in written(text) for text in texts)
    assert sorted(texts, key=written) == sorted(texts)
    assert all(written(part) in written(text) for text in texts for part in texts if part in text)


def test_the_place_of_a_url_has_no_password() -> None:
    assert place_of("postgresql://a:b@db:5/c?password=d") == "postgresql://a@db:5/c"


_LOST_AT_COMMIT = """
CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
CREATE CONSTRAINT TRIGGER lost AFTER INSERT ON roles DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lose();
"""


def test_a_commit_without_an_answer_is_told_and_not_tried_again(database: Engine, tmp_path: Path) -> None:
    store = database.open(tmp_path)
    with psycopg.connect(database.url, autocommit=True) as db:
        db.execute(_LOST_AT_COMMIT)
    roles = [Write("default", ACTOR, (Create("roles", {"id": id}),)) for id in "ab"]
    with pytest.raises(StoreUnavailable, match="not known whether a change is stored"):
        store.write_gathered(roles)
    assert store.revision_of("default") == 0
