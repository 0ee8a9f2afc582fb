"""Connections to PostgreSQL: what others set or make there does not change what Writ's statements mean."""

import threading
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from writ.api.store.database.postgresql.connections import PostgresConnections
from writ.api.store.database.postgresql.sessions.conninfo import schema_of
from writ.api.store.elements.edits import Create
from writ.api.store.errors import StoreUnavailable
from writ.api.store.leases.database_users import without_lease
from writ.api.store.leases.lease_connection import lease_connection
from writ.api.store.store import Store

from tests.support.closing import closed_later
from tests.support.stored import stored, write

pytestmark = pytest.mark.postgresql

HOSTILE: Final = (
    r"-c search_path=mine -c client_encoding=LATIN1 -c default_transaction_isolation=repeatable\ read"
    r" -c synchronous_commit=off -c default_transaction_read_only=on"
)
_NAMES: Final = count()


@pytest.fixture
def database(postgresql: str) -> Iterator[str]:
    """A connection string to a new database."""
    name = f"sessions_{next(_NAMES)}"
    with psycopg.connect(postgresql, autocommit=True) as control:
        control.execute(f"CREATE DATABASE {name}".encode())
        yield make_conninfo(postgresql, dbname=name)
        control.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def tenant(postgresql: str) -> Iterator[str]:
    """A role that owns nothing."""
    with psycopg.connect(postgresql, autocommit=True) as control:
        control.execute("CREATE ROLE tenant LOGIN")
        yield "tenant"
        control.execute("DROP ROLE tenant")


def run(conninfo: str, *statements: str) -> None:
    with psycopg.connect(conninfo, autocommit=True) as db:
        for one in statements:
            db.execute(one.encode())


def opened(conninfo: str, folder: Path) -> Store:
    return closed_later(Store.open(folder, server=without_lease(conninfo)))


def refused(conninfo: str, folder: Path) -> str:
    with pytest.raises(StoreUnavailable) as raised:
        opened(conninfo, folder).close()
    return str(raised.value)


def test_a_role_that_may_make_functions_in_the_schema_is_refused(tenant: str, database: str, tmp_path: Path) -> None:
    opened(database, tmp_path).close()
    made = "CREATE FUNCTION public.pg_advisory_xact_lock(integer) RETURNS void LANGUAGE sql AS 'SELECT'"
    for whom, name in (("PUBLIC", "PUBLIC"), (tenant, "tenant")):
        run(database, f"GRANT CREATE ON SCHEMA public TO {whom}")
        assert f'run `REVOKE CREATE ON SCHEMA "public" FROM {name}`' in refused(database, tmp_path)
        run(make_conninfo(database, user=tenant), made)
        run(database, f'REVOKE CREATE ON SCHEMA "public" FROM {name}')
        assert "`DROP ROUTINE public.pg_advisory_xact_lock(integer)`" in refused(database, tmp_path)
        run(database, "DROP ROUTINE public.pg_advisory_xact_lock(integer)")
    opened(database, tmp_path).close()


def test_a_store_that_another_role_has_planted_is_refused(tenant: str, database: str, tmp_path: Path) -> None:
    """Its owner could write each table, and run statements as the store's role by a trigger."""
    own = make_conninfo(database, user=tenant)
    run(database, f"GRANT CREATE ON SCHEMA public TO {tenant}")
    run(own, "CREATE TABLE public.writ_format (number bigint, least bigint)", "INSERT INTO writ_format VALUES (1, 1)")
    run(database, f"REVOKE CREATE ON SCHEMA public FROM {tenant}")
    run(own, "GRANT ALL ON public.writ_format TO PUBLIC")
    assert "has the relation public.writ_format of another role" in refused(database, tmp_path)


def test_a_trigger_of_another_role_is_refused(tenant: str, database: str, tmp_path: Path) -> None:
    opened(database, tmp_path).close()
    run(database, f"CREATE SCHEMA theirs AUTHORIZATION {tenant}", f"GRANT TRIGGER ON public.roles TO {tenant}")
    own = make_conninfo(database, user=tenant)
    made = "CREATE FUNCTION theirs.spy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
    run(own, made, "CREATE TRIGGER spy BEFORE INSERT ON public.roles FOR EACH ROW EXECUTE FUNCTION theirs.spy()")
    assert "has the trigger function theirs.spy() of another role" in refused(database, tmp_path)


def test_a_store_of_a_role_that_owns_the_database_alone(tenant: str, database: str, tmp_path: Path) -> None:
    """As the page says to make it."""
    run(database, f"ALTER DATABASE {conninfo_to_dict(database)['dbname']} OWNER TO {tenant}")
    with closing(opened(make_conninfo(database, user=tenant), tmp_path)) as store:
        write(store, Create("roles", {"id": "r"}))


def test_a_schema_named_like_the_user_shadows_nothing(database: str, tmp_path: Path) -> None:
    with closing(opened(database, tmp_path)) as store:
        write(store, Create("roles", {"id": "r"}))
        run(database, "CREATE SCHEMA writ", "CREATE TABLE writ.roles (LIKE public.roles INCLUDING ALL)")
        store._connections.close()
        assert [role["id"] for role in stored(store)["roles"]] == ["r"]


def test_a_temporary_table_shadows_nothing(database: str, tmp_path: Path) -> None:
    with closing(opened(database, tmp_path)) as store, store._connections.writing() as db:
        db.run("CREATE TEMP TABLE roles (id int)")
        assert db.execute("SELECT 'roles'::regclass = 'public.roles'::regclass").fetchone() == (True,)


def test_a_schema_that_is_not_there_is_told(database: str, tmp_path: Path) -> None:
    conninfo = make_conninfo(database, options="-c search_path=mine")
    assert 'has no schema `mine`; run `CREATE SCHEMA "mine"`' in refused(conninfo, tmp_path)
    run(database, "CREATE SCHEMA mine")
    opened(conninfo, tmp_path).close()


@pytest.mark.parametrize(
    "options", ["-c search_path=a,b", '-c search_path="a"', "-c search_path=pg_temp", "-csearch_path"]
)
def test_another_word_for_a_schema_is_refused(options: str) -> None:
    with pytest.raises(StoreUnavailable, match="must name one schema like"):
        schema_of(make_conninfo("", options=options))


@pytest.mark.parametrize(
    "options", ["-csearch_path=Mine", "--search-path=mine", "-c search_path=a -c search_path=mine"]
)
def test_how_a_schema_is_named(options: str) -> None:
    assert schema_of(make_conninfo("", options=options)) == "mine"


@pytest.fixture
def hostile(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database whose URL, service file, environment and role change what a session means."""
    run(database, "CREATE SCHEMA mine")
    settings = ("default_transaction_isolation = 'repeatable read'", "client_encoding = 'LATIN1'", "search_path = mine")
    with psycopg.connect(database, autocommit=True) as db:
        for one in settings:
            db.execute(f"ALTER DATABASE {db.info.dbname} SET {one}".encode())
    (tmp_path / "services").write_text("[store]\noptions=-c search_path=pg_catalog\nclient_encoding=SQL_ASCII\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    monkeypatch.setenv("PGSERVICE", "store")
    monkeypatch.setenv("PGCLIENTENCODING", "SQL_ASCII")
    monkeypatch.setenv("PGOPTIONS", "-c search_path=pg_catalog")
    return make_conninfo(database, options=HOSTILE, client_encoding="LATIN1")


def settled(db: "psycopg.Connection[Any]") -> tuple[str, ...]:
    names = "client_encoding", "search_path", "transaction_isolation", "synchronous_commit", "transaction_read_only"
    return tuple(db.execute("SELECT current_setting(%s)", (name,)).fetchone()[0] for name in names)


def test_each_kind_of_connection_has_the_settings_of_writ(hostile: str, tmp_path: Path) -> None:
    expected = ("UTF8", "mine, pg_temp", "read committed", "on", "off")
    connections = PostgresConnections(without_lease(hostile), tmp_path)
    with closing(connections.fresh()) as db:
        assert settled(db.conn) == expected
    with lease_connection(hostile) as leases:
        assert settled(leases) == expected
    with lease_connection(hostile.replace("-c search_path=mine ", "")) as leases:
        assert settled(leases)[1] == "public, pg_temp"


def test_texts_are_those_that_were_written(hostile: str, tmp_path: Path) -> None:
    with closing(opened(hostile, tmp_path / "data")) as store:
        write(store, Create("roles", {"id": "é€𐀀"}))
        assert [role["id"] for role in stored(store)["roles"]] == ["é€𐀀"]


def test_first_starts_at_the_same_time_make_one_store(hostile: str, tmp_path: Path) -> None:
    failed: list[BaseException] = []

    def start(number: int) -> None:
        try:
            opened(hostile, tmp_path / str(number)).close()
        except BaseException as ex:
            failed.append(ex)

    threads = [threading.Thread(target=start, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
