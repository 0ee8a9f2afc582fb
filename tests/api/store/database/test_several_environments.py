"""Writes of several environments of one store on PostgreSQL go on at the same time, and any other write is alone."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random

import psycopg
import pytest
from writ.api.store import gathered_writes
from writ.api.store.actor import CLIENT_PREFIX, Actor
from writ.api.store.audit.entries import GENESIS, AuditEntry, entry_in
from writ.api.store.audit.events import Event
from writ.api.store.audit.tampering import verified_entries
from writ.api.store.credentials.credentials import ClientSpec
from writ.api.store.database.postgresql.connections import PostgresConnections
from writ.api.store.database.postgresql.write_locks import COMMIT_LOCK
from writ.api.store.elements.edits import Committed, Create
from writ.api.store.environments import EnvironmentChange
from writ.api.store.errors import NotFound, OutOfBounds, StoreUnavailable
from writ.api.store.promotions.promotion import Wanted
from writ.api.store.store import Store
from writ.api.store.writing import Write, apply_write

from tests.support.store_engines import Engine, empty_schema
from tests.support.stored import ACTOR, source

pytestmark = pytest.mark.postgresql

ENVIRONMENTS = ("a", "b", "c", "d")
PASSING = "passing"
ROUNDS = 12
PROTECTED = EnvironmentChange(protected=True)
TIME = "2026-01-01T00:00:00Z"


@pytest.fixture
def database(postgresql: str) -> Iterator[Engine]:
    with empty_schema(postgresql) as found:
        yield found


@pytest.fixture
def servers(database: Engine, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Two servers of one database with some environments."""
    found = database.open(tmp_path / "one", busy_seconds=60), database.open(tmp_path / "two", busy_seconds=60)
    for id in ENVIRONMENTS:
        found[0].create_environment(ACTOR, id)
    yield found
    for store in found:
        store.close()
        store.watch.close()


def role(env: str, id: str, actor: Actor = ACTOR) -> Write:
    return Write(env, actor, (Create("roles", {"id": id}),))


def chained(store: Store) -> list[AuditEntry]:
    """Returns the entries of the audit log, whose hashes are right."""
    with store._connections.reading() as db:
        numbers = [one.number for one in verified_entries(db, 0, GENESIS)]
        entries = [entry_in(body) for (body,) in db.execute("SELECT body FROM audit ORDER BY number")]
    assert numbers == [*range(1, len(entries) + 1)]
    return entries


def test_a_write_goes_on_while_that_of_another_environment_is_open(
    servers: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathered_writes, "MOST_SECONDS", 60)  # all in one transaction
    one, other = servers
    before = len(chained(one))
    with one._connections.writing(environments=("a",)) as db:
        assert apply_write(db, role("a", "first"), lambda _: TIME).environment.revision == 1
        other.write("b", ACTOR, (Create("roles", {"id": "r"}),))
        assert [type(done) for done in other.write_gathered([role("c", "r"), role("d", "r")])] == [Committed] * 2
        other.put_model("b", ACTOR, [source({"roles": [{"id": "other"}]})])
        assert other.revision_of("a") == 0
    assert [entry.environment for entry in chained(one)[before:]] == ["b", "c", "d", "b", "a"]
    assert [other.revision_of(env) for env in ENVIRONMENTS] == [1, 2, 1, 1]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda store: store.write("a", ACTOR, (Create("roles", {"id": "r"}),)), id="same environment"),
        pytest.param(lambda store: store.write_gathered([role("b", "r"), role("a", "r")]), id="gathered with it"),
        pytest.param(lambda store: store.put_model("a", ACTOR, [source({})]), id="whole model"),
        pytest.param(lambda store: store.change_environment(ACTOR, "b", PROTECTED), id="settings"),
        pytest.param(lambda store: store.delete_environment(ACTOR, "b"), id="deletion"),
        pytest.param(lambda store: store.promotions.promote("c", ACTOR, Wanted("b")), id="promotion"),
        pytest.param(lambda store: store.audit.record(ACTOR, Event.SERVICE_STARTED), id="entry"),
    ],
)
def test_any_other_write_waits(database: Engine, tmp_path: Path, change: Callable[[Store], object]) -> None:
    impatient, store = database.open(tmp_path / "one", busy_seconds=0.05), database.open(tmp_path / "two")
    for id in ENVIRONMENTS:
        store.create_environment(ACTOR, id)
    open_one, waits = store._connections.writing(environments=("a",)), "was locked by another write"
    with open_one, pytest.raises(StoreUnavailable, match=waits):
        change(impatient)
    change(impatient)
    impatient.close()
    store.close()


@pytest.mark.parametrize("edits", [(Create("roles", {"id": "r"}),), ()], ids=["change", "no change"])
def test_commits_take_turns(database: Engine, tmp_path: Path, edits: tuple[Create, ...]) -> None:
    """No process hears of a commit before it has its turn."""
    assert database.url is not None
    store = database.open(tmp_path, busy_seconds=0.05)
    store.create_environment(ACTOR, "a")
    assert isinstance(store._connections, PostgresConnections)
    assert store._connections.signal is not None
    cell = store._connections.signal.cell
    with psycopg.connect(database.url) as other:
        other.execute(COMMIT_LOCK.encode())
        told = bytes(cell)
        with pytest.raises(StoreUnavailable, match="was locked by another write"):
            store.write("a", ACTOR, edits)
        assert bytes(cell) == told
    store.write("a", ACTOR, edits)
    assert store.revision_of("a") == len(edits)
    store.close()


class World:
    """Two servers of one database, and what was answered: revisions of each environment, and clients that may write."""

    def __init__(self, servers: tuple[Store, Store]) -> None:
        self.servers = servers
        self.clients: list[Actor] = []
        self.revisions: Counter[str] = Counter()
        self._lock = threading.Lock()

    def note(self, env: str) -> None:
        """One more revision was answered."""
        with self._lock:
            self.revisions[env] += 1

    def write(self, seed: int) -> None:
        """Write in one way or another, to any environment, with a credential that may be revoked meanwhile."""
        random, store = Random(seed), self.servers[seed % 2]
        for turn in range(ROUNDS):
            env, id = random.choice((*ENVIRONMENTS, PASSING)), f"w{seed}-{turn}"
            actor = random.choice((ACTOR, *self.clients[-2:]))
            with suppress(OutOfBounds, NotFound):
                match random.randrange(3):
                    case 0:
                        two = random.sample(ENVIRONMENTS, 2)
                        writes = [role(random.choice(two), f"{id}-{n}", actor) for n in range(6)]
                        for done in store.write_gathered(writes):
                            if isinstance(done, Committed):
                                self.note(done.environment.id)
                            else:
                                assert isinstance(done, OutOfBounds), done
                    case 1:
                        store.write(env, actor, (Create("roles", {"id": id}),))
                        self.note(env)
                    case 2:
                        store.put_model(env, actor, [source({"groups": [{"id": id}]})])
                        self.note(env)

    def revoke(self) -> None:
        """Make clients, and revoke each of them."""
        for turn in range(ROUNDS):
            client = self.servers[turn % 2].credentials.add_client(ACTOR, ClientSpec(f"c{turn}", ("admin",), 60), b"")
            actor = Actor(f"{CLIENT_PREFIX}{client.id}", client=client.id)
            self.clients.append(actor)
            self.servers[0].write("a", actor, (Create("roles", {"id": f"last-of-{client.id}"}),))
            self.note("a")
            self.servers[turn % 2].credentials.revoke_client(ACTOR, client.id)
            with pytest.raises(OutOfBounds):
                self.servers[1].write("a", actor, (Create("roles", {"id": f"after-{client.id}"}),))

    def promote(self) -> None:
        """Promote one environment to another one, in both directions."""
        for turn in range(ROUNDS):
            source, target = ("b", "c") if turn % 2 else ("c", "b")
            self.servers[turn % 2].promotions.promote(target, ACTOR, Wanted(source, accept_drift=True))
            self.note(target)

    def replace_environment(self) -> None:
        """Make an environment and delete it."""
        for turn in range(ROUNDS):
            self.servers[turn % 2].create_environment(ACTOR, PASSING)
            self.servers[turn % 2].delete_environment(ACTOR, PASSING)


def test_writes_of_several_environments_beside_others_are_as_if_one_by_one(servers: tuple[Store, Store]) -> None:
    """No write is lost, or stored with a credential whose revocation came before it."""
    world = World(servers)
    with ThreadPoolExecutor(8) as threads:
        others = [threads.submit(one) for one in (world.revoke, world.promote, world.replace_environment)]
        for one in [*others, *(threads.submit(world.write, seed) for seed in range(5))]:
            one.result()
    entries = chained(servers[0])
    for env in ENVIRONMENTS:
        newest = servers[1].revision_of(env)
        assert newest == world.revisions[env] > 0
        told = [
            one.details["revision"] for one in entries if one.environment == env and one.event == Event.MODEL_CHANGED
        ]
        assert told == [*range(1, newest + 1)]
        assert [one.revision for one in servers[0].revisions(env)[0]] == told[::-1]
    revoked = {one.client_id: at for at, one in enumerate(entries) if one.event == Event.CLIENT_REVOKED}
    written = [(at, one) for at, one in enumerate(entries) if one.event == Event.MODEL_CHANGED and one.acting_client]
    assert len(revoked) == ROUNDS <= len(written)
    assert [one for at, one in written if at > revoked[one.acting_client]] == []
