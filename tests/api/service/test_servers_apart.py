"""Histories of clients of several services whose ways to their database fail, each service in a network namespace."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import psycopg
import pytest
from writ.api.store.database.connections import LARGE_WRITE_IDLE_SECONDS

from tests.support import postgres
from tests.support.histories import Operation, faults
from tests.support.history_clients import Histories
from tests.support.network_namespaces import Network, Place
from tests.support.server import KEY
from tests.support.servers_together import (
    LEASE,
    PAUSE,
    Record,
    Together,
    apart,
    ask,
    assert_sound,
    decision,
    found_under,
    go_on,
    keeper,
    outlast,
    record,
    revision_token,
    shows_something,
)
from tests.support.waiting import wait_until

pytestmark = pytest.mark.network

HOLDERS = """
SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE relation = 'write_locks'::regclass AND mode IN ('RowShareLock', 'ExclusiveLock')
AND granted AND client_addr = %s::inet
"""
"""Counts the locks of writers that the sessions from an address hold."""

PATIENCE = 3.0
"""Seconds that a client waits for an answer, so that those of a service that is cut go on soon."""


@pytest.fixture
def url(net: Network) -> Iterator[str]:
    """The URL of a database in the network."""
    with postgres.server(postgres.needed(), address=net.databases[0]):
        yield f"postgresql://writ@{net.databases[0]}/postgres"


TRIALS = 100
"""How often a way is cut until it happens in the middle of a write."""


def postmaster(conninfo: str) -> int:
    """The process id of a database."""
    host = dict(part.split("=") for part in conninfo.split())["host"]
    return int((Path(host) / "data" / "postmaster.pid").read_text().split()[0])


def acknowledged(histories: Histories, since: int) -> list[Operation]:
    """The writes with an answer whose revisions are later than `since`."""
    return [one for one in histories.operations if one.is_write and one.position and one.position.revision > since]


def is_new(one: Operation) -> bool:
    """Whether an operation is of the epoch that a promoted replica has begun."""
    return one.position is not None and one.position.epoch > 1


@pytest.mark.parametrize("cut", [Place.cut, Place.cut_answers])
def test_a_service_that_is_cut_from_its_database_decides_nothing(
    cut: Callable[[Place], AbstractContextManager[None]],
    record_property: Record,
    net: Network,
    url: str,
    tmp_path: Path,
):
    """Its clients reach it all the time. Others go on, and it does so when the way is there again."""
    statuses = []

    def cut_one(services: Together) -> None:
        server, *_ = services.servers
        outlast(1)
        with cut(net.places[0]):
            outlast(2)
            statuses.append([decision(server) for _ in range(4)])
        assert wait_until(lambda: decision(server) == 200)

    with apart(url, tmp_path, net, 3) as services:
        histories = found_under(services, cut_one, seconds=2 * LEASE, patience=PATIENCE)
    record(record_property, histories, f"one server is cut from its database ({cut.__name__})")
    assert_sound(histories.operations)
    assert statuses
    assert all(found == 4 * [500] for found in statuses)


@pytest.mark.parametrize("leases", [0.3, 2.0])
def test_the_keeper_alone_is_cut_from_the_database(
    leases: float, record_property: Record, net: Network, url: str, tmp_path: Path
):
    """Its hints and renewals are lost. The workers' connections go on."""

    cuts = list[Place]()

    def cut_keeper(services: Together) -> None:
        server, place = random.choice(list(zip(services.servers, net.places, strict=True)))
        with suppress(ValueError), place.cut_connection(place.port_of(keeper(server))):  # else it has none now
            outlast(leases)
            cuts.append(place)
        outlast(1)

    with apart(url, tmp_path, net, 3) as services:
        histories = found_under(services, cut_keeper, seconds=4 * LEASE, patience=PATIENCE)
    record(record_property, histories, f"a keeper is cut from the database for {leases:g} leases")
    assert cuts
    assert_sound(histories.operations)


def test_a_promoted_replica_lacks_acknowledged_revisions(record_property: Record, net: Network, tmp_path: Path):
    """No revision has two contents, since the epoch rises. A token from before is refused."""
    first, second = net.databases
    url = f"postgresql://writ@{first},{second}/postgres?target_session_attrs=read-write"
    with (
        postgres.server(postgres.needed(), address=first) as primary,
        postgres.replica(postgres.needed(), primary, second) as other,
    ):
        replica, promote = other
        histories, lost = Histories(KEY, PATIENCE, PAUSE), list[Operation]()
        with apart(url, tmp_path, net, 2) as services:
            urls = [server.url for server in services.servers]
            histories.begin(urls[0])
            with histories.going_on(urls, [*urls, *urls]):
                go_on(histories)
                with psycopg.connect(replica, autocommit=True) as db:
                    db.execute("ALTER SYSTEM SET primary_conninfo = ''")
                    db.execute("SELECT pg_reload_conf()")
                    assert wait_until(
                        lambda: db.execute("SELECT count(*) FROM pg_stat_wal_receiver").fetchone() == (0,)
                    )
                    (has,) = db.execute("SELECT revision FROM environments").fetchone() or (0,)
                assert wait_until(lambda: acknowledged(histories, has))
                token = revision_token(services.servers[0])
                lost += acknowledged(histories, has)
                os.kill(postmaster(primary), signal.SIGQUIT)
                promote()
                assert wait_until(lambda: shows_something([one for one in histories.operations if is_new(one)]))
            assert wait_until(lambda: decision(services.servers[0]) == 200)
            refused = ask(services.servers[0], {"Writ-Min-Revision": token})
    record(record_property, histories, "the primary is killed, its replica lacks revisions")
    assert lost
    assert_sound(histories.operations, fails_over=True)
    assert len({one.position.epoch for one in histories.operations if one.position is not None}) == 2
    assert refused.status_code == 409, refused.text
    assert "other-epoch" in refused.text


def test_a_service_that_is_cut_in_the_middle_of_a_write_does_not_keep_the_lock_of_all_writers(
    record_property: Record, net: Network, url: str, tmp_path: Path
):
    with apart(url, tmp_path, net, 2) as services, psycopg.connect(url, autocommit=True) as db:
        (cut, other), (place, _) = [server.url for server in services.servers], net.places
        histories = Histories(KEY, PATIENCE, PAUSE)
        histories.begin(cut)

        def holds() -> bool:
            return db.execute(HOLDERS, (place.source,)).fetchone() != (0,)

        def is_written(since: float) -> bool:
            return any(one.is_write and one.ended and one.began > since for one in histories.operations)

        with histories.going_on([cut, cut, other], [cut, other]):
            for _ in range(TRIALS):
                go_on(histories)
                with place.cut():
                    go_on(histories, 3)  # what was under way has arrived
                    if holds():
                        began = time.monotonic()
                        assert wait_until(lambda since=began: not holds() and is_written(since)), "the locks stay"
                        assert time.monotonic() < began + LARGE_WRITE_IDLE_SECONDS / 2
                        break
            else:
                pytest.fail("no write was cut in the middle")
    record(record_property, histories, "a server is cut in the middle of a write")
    assert not faults(histories.operations)
