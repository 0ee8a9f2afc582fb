"""A store on PostgreSQL that servers of two formats share: what waits for the contraction, and when it comes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from writ.api.store.actor import SERVICE
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.audit.events import Event
from writ.api.store.database.newest_format import STORE_FORMAT
from writ.api.store.elements.edits import Create
from writ.api.store.errors import Conflict, OlderFormat
from writ.api.store.leases.reaching import reached_to_look
from writ.api.store.store import Store
from writ.api.store.upgrades.contraction import MISSED_SECONDS, QUIET_SECONDS
from writ.api.store.upgrades.plan import Plan, upgrade_plan
from writ.bundles.routing.settings import GatewaySettings
from writ.compiler.model.elements import ElementKind

from tests.support.store_engines import Engine, empty_schema
from tests.support.stored import ACTOR, put, write

pytestmark = pytest.mark.postgresql

THIRD = """
DROP TABLE server_formats; DROP TABLE store_expansion; UPDATE writ_format SET number = 3, least = 3;
"""
"""Makes a store of the third format of one of the fourth."""

SECOND = f"""{THIRD}
DROP INDEX roles_by_name; DROP INDEX groups_by_name; DROP INDEX policies_by_name;
DROP INDEX subjects_by_name; DROP INDEX resources_by_name;
ALTER TABLE roles DROP COLUMN called; ALTER TABLE groups DROP COLUMN called; ALTER TABLE policies DROP COLUMN called;
ALTER TABLE subjects DROP COLUMN called; ALTER TABLE resources DROP COLUMN called;
UPDATE writ_format SET number = 2, least = 2;
"""
"""Makes a store of the second format of one of the fourth."""

OLDER_SERVER = "INSERT INTO servers VALUES ('older', nextval('lease_numbers'), 0, 100000000, NULL)"
RENEWED = "UPDATE servers SET number = nextval('lease_numbers')"

TYPES = [{"id": "document", "actions": ["read"]}]
ROUTE = {"id": "r", "resource_type": "document", "action": "read", "path": "/a", "methods": ["GET"], "resource_id": "a"}


@pytest.fixture
def database(postgresql: str) -> Iterator[Engine]:
    with empty_schema(postgresql) as found:
        yield found


@pytest.fixture
def control(database: Engine) -> Iterator[psycopg.Connection]:
    """A connection to the store's database."""
    assert database.url is not None
    with psycopg.connect(database.url, autocommit=True) as db:
        yield db


def older_store(
    database: Engine, control: psycopg.Connection, folder: Path, steps: str, model: dict[str, Any]
) -> Store:
    """The store that a newer server has opened beside servers of an older format, with a model of that one."""
    store = database.open(folder)
    put(store, model)
    store.close()
    control.execute(steps.encode())
    with pytest.raises(OlderFormat, match="start a server of this version beside the others"):
        database.open(folder)
    return database.open(folder, upgrade=True)


def format_of(control: psycopg.Connection) -> tuple[int, int]:
    row = control.execute("SELECT number, least FROM writ_format").fetchone()
    assert row is not None
    return row


def test_writes_that_older_servers_cannot_read_wait(
    database: Engine, control: psycopg.Connection, tmp_path: Path
) -> None:
    store = older_store(database, control, tmp_path, THIRD, {"resource_types": TYPES})
    plain = {"header": "X-User"}
    settings = msgspec.convert({"subject": plain, "anonymous": {"type": "user", "id": "none"}}, GatewaySettings)
    assert (format_of(control), store.contraction.shared_format()) == ((3, 3), 3)
    write(store, Create("routes", ROUTE))
    for marked in (True, False):
        with pytest.raises(Conflict, match="`anonymous` in `routes` can't be stored yet: servers of the store's form"):
            write(store, Create("routes", ROUTE | {"id": "s", "path": "/b", "anonymous": marked}))
    with pytest.raises(Conflict, match="`anonymous` in `gateway` can't be stored yet"):
        store.change_gateway(ACTOR, "default", settings)
    store.change_gateway(ACTOR, "default", msgspec.convert({"subject": plain}, GatewaySettings))
    assert store.contraction.finish(SERVICE)
    assert not store.contraction.finish(SERVICE)
    assert (format_of(control), store.contraction.shared_format()) == ((STORE_FORMAT, STORE_FORMAT), None)
    write(store, Create("routes", ROUTE | {"id": "s", "path": "/b", "anonymous": True}))
    store.change_gateway(ACTOR, "default", settings)
    ((entry, *_), _) = store.audit.page(EntryFilter(event=Event.STORE_UPGRADED), None, 10)
    assert entry.entry.details == {"from": 3, "to": STORE_FORMAT}
    store.close()


def test_a_delta_that_older_servers_cannot_read_is_left_out(
    database: Engine, control: psycopg.Connection, tmp_path: Path
) -> None:
    """Each server builds a bundle then. Other changes have their deltas."""
    model = {"resource_types": TYPES, "attributes": {"context": {"risk": "number"}}}
    store = older_store(database, control, tmp_path, THIRD, model)
    policy = {"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}
    compares = {"conditions": {"context_attrs": [{"key": "risk", "op": "lt", "value": 5}]}}
    query = b"SELECT delta IS NULL FROM changes ORDER BY revision DESC LIMIT 1"
    found = []
    for id, more in (("plain", {}), ("p", compares)):
        write(store, Create("policies", {**policy, "id": id, **more}))
        found.append(control.execute(query).fetchone())
    store.contraction.finish(SERVICE)
    write(store, Create("policies", {**policy, "id": "after", **compares}))
    found.append(control.execute(query).fetchone())
    assert found == [(False,), (True,), (False,)]
    store.close()


def test_lists_are_sorted_with_rows_of_older_servers(
    database: Engine, control: psycopg.Connection, tmp_path: Path
) -> None:
    """A server of the second format writes no names to sort by. The database completes its rows."""
    subjects = [{"type": "user", "id": "b", "attributes": {"name": "Ann"}}, {"type": "user", "id": "c"}]
    long = "x" * 70 + "y"
    model = {"roles": [{"id": "b", "name": "Zoe"}, {"id": "a"}, {"id": "l", "name": long}], "subjects": subjects}
    store = older_store(database, control, tmp_path, SECOND, model)

    def names(kind: ElementKind) -> list[str]:
        return [one.body["id"] for one in store.finder.page("default", kind, "", sort="name").items]

    assert (names(ElementKind.ROLES), names(ElementKind.SUBJECTS)) == (["b", "a", "l"], ["b", "c"])
    assert control.execute("SELECT called FROM roles WHERE id = 'l'").fetchone() == ("x" * 64,)
    control.execute("UPDATE roles SET name = 'zz' WHERE id = 'b'")
    control.execute(
        "INSERT INTO roles (place, environment, version, body, id, name) SELECT place + 9, environment,"
        " version, '{\"id\": \"m\"}', 'm', 'm' FROM roles WHERE id = 'a'"
    )
    control.execute('UPDATE subjects SET body = \'{"attributes": {"name": "Zed"}}\' WHERE id = \'b\'')
    called = control.execute("SELECT id, called FROM roles UNION SELECT 'user:' || id, called FROM subjects ORDER BY 1")
    assert dict(called.fetchall()) == {"a": "a", "b": "zz", "l": "x" * 64, "m": "m", "user:b": "Zed", "user:c": "c"}
    write(store, Create("roles", {"id": "n", "name": "New\0name"}))
    assert names(ElementKind.ROLES)[0] == "n"
    assert store.contraction.finish(SERVICE)
    triggers = control.execute("SELECT count(*) FROM pg_trigger WHERE tgname = 'complete_called'").fetchone()
    assert triggers == (0,)
    store.close()


def test_an_older_server_with_a_lease_keeps_the_format(
    database: Engine, control: psycopg.Connection, tmp_path: Path
) -> None:
    """One whose row stays as it is for a lease has ended."""
    store = older_store(database, control, tmp_path, THIRD, {"roles": [{"id": "r"}]})
    assert database.url is not None
    plan = Plan(format=3, is_shared=True, is_borne=True, older=1)
    control.execute(OLDER_SERVER)
    assert upgrade_plan(tmp_path, reached_to_look(database.url)) == plan
    listed = store.contraction._servers

    def renewed(all_formats: bool) -> Any:
        found = listed(all_formats)
        control.execute(RENEWED)
        return found

    store.contraction._servers = renewed  # type: ignore[method-assign] - the older server renews its lease
    with pytest.raises(Conflict, match="a server of format 3 has a lease"):
        store.contraction.finish(SERVICE)
    store.contraction._servers = listed  # type: ignore[method-assign] - it has been killed
    assert format_of(control) == (3, 3)
    assert store.contraction.finish(SERVICE)
    store.close()


def test_an_hour_without_older_servers_ends_the_sharing(
    database: Engine, control: psycopg.Connection, tmp_path: Path
) -> None:
    store = older_store(database, control, tmp_path, THIRD, {"roles": [{"id": "r"}]})

    def looked(quiet: float, observed: float = 1.0) -> tuple[int, int]:
        """The format after a look, so many seconds after the last older server, and after the last look."""
        control.execute(
            "UPDATE store_expansion SET quiet_since = now() - make_interval(secs => %s),"
            " observed = now() - make_interval(secs => %s)",
            (quiet, observed),
        )
        store.contraction.look()
        return format_of(control)

    control.execute(OLDER_SERVER)
    assert looked(QUIET_SECONDS + 1) == (3, 3)
    control.execute(RENEWED)
    assert looked(QUIET_SECONDS + 1) == (3, 3)
    assert looked(QUIET_SECONDS - 60) == (3, 3)
    assert looked(QUIET_SECONDS + 1, MISSED_SECONDS + 1) == (3, 3), "it may have had a lease meanwhile"
    assert looked(QUIET_SECONDS + 1) == (STORE_FORMAT, STORE_FORMAT)
    store.contraction.look()
    store.close()


def test_the_plan_of_an_upgrade(database: Engine, control: psycopg.Connection, tmp_path: Path) -> None:
    """It changes nothing."""
    assert database.url is not None
    looks = reached_to_look(database.url)
    assert upgrade_plan(tmp_path, looks).format == 0
    database.open(tmp_path).close()
    assert upgrade_plan(tmp_path, looks) == Plan(STORE_FORMAT, is_shared=False, is_borne=True, older=0)
    control.execute(THIRD.encode())
    control.execute(OLDER_SERVER)
    assert upgrade_plan(tmp_path, looks) == Plan(3, is_shared=False, is_borne=True, older=1)
    control.execute("UPDATE writ_format SET number = 1, least = 1")
    assert upgrade_plan(tmp_path, looks) == Plan(1, is_shared=False, is_borne=False, older=1)
    assert format_of(control) == (1, 1)
