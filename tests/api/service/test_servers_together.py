"""Histories of clients of several services on one PostgreSQL under faults: no stale decision, no lost write."""

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support import postgres
from tests.support.history_clients import ENV
from tests.support.processes import children
from tests.support.server import Server, running
from tests.support.servers_together import (
    LEASE,
    Record,
    Together,
    assert_sound,
    decision,
    found_under,
    keeper,
    outlast,
    record,
    tell,
    together,
)
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service


def nothing(_services: Together) -> None:
    """No fault: what a fault is compared with."""
    outlast(0.2)


def decides(server: Server) -> bool:
    """Whether a service decides."""
    return decision(server) == 200


def kill_a_worker(services: Together) -> None:
    """A worker dies, and its service starts another one."""
    server = random.choice(services.servers)
    before = children(server.process.pid)
    os.kill(random.choice([one for one in before if one != keeper(server)]), signal.SIGKILL)
    assert wait_until(lambda: len({*children(server.process.pid)} - {*before}) == 1)
    assert wait_until(lambda: decides(server))


def kill_a_keeper(services: Together) -> None:
    """The keeper of a lease dies: its service decides nothing once the lease is over, and starts another one."""
    server = random.choice(services.servers)
    with suppress(ValueError):  # the service has not started another one yet
        os.kill(keeper(server), signal.SIGKILL)
    outlast(1.5)


def stop_a_service(services: Together) -> None:
    """A service stands still for two leases, perhaps between its look at the lease and its answer."""
    server = random.choice(services.servers)
    tell(server, signal.SIGSTOP)
    outlast(2)
    tell(server, signal.SIGCONT)
    assert wait_until(lambda: decides(server))


def stop_the_workers(services: Together) -> None:
    """The workers stand still for two leases, and the keeper goes on with the lease."""
    server = random.choice(services.servers)
    workers = [one for one in children(server.process.pid) if one != keeper(server)]
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    outlast(2)
    for worker in workers:
        os.kill(worker, signal.SIGCONT)
    assert wait_until(lambda: decides(server))


def cut_all_sessions(services: Together) -> None:
    """The database ends all connections, also one that has committed and not answered yet."""
    with psycopg.connect(services.url, autocommit=True) as db:
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'writ%'")
    assert wait_until(lambda: all(decides(server) for server in services.servers))


FAULTS = [nothing, kill_a_worker, kill_a_keeper, stop_a_service, stop_the_workers, cut_all_sessions]


@pytest.mark.parametrize("fault", FAULTS)
def test_the_next_request_anywhere_sees_an_answered_write(
    fault: Callable[[Together], None], record_property: Record, database: str, tmp_path: Path
) -> None:
    with together(database, tmp_path, 3) as services:
        histories = found_under(services, fault)
    record(record_property, histories, fault.__name__.replace("_", " "))
    assert_sound(histories.operations)


def test_a_service_that_is_killed_delays_a_write_by_a_lease_at_most(database: str, tmp_path: Path) -> None:
    with together(database, tmp_path, 2) as services:
        one, other = services.servers
        with one.client() as client:
            entry = [{"resource_type_id": "document", "actions": ["read"]}]
            policy = {"id": "p", "name": "p", "effect": "ALLOW", "resource_types": entry}
            types = [{"id": "document", "actions": ["read"]}]
            model = {"model": 1, "resource_types": types, "policies": [policy]}
            assert client.put(f"{ENV}/model", json=model, headers={"If-Match": "*"}).status_code == 200
            tell(other, signal.SIGKILL)
            lapsed = []
            for name in ("a", "b", "c"):
                answer = client.patch(f"{ENV}/policies/p", json={"name": name}, headers={"If-Match": "*"})
                assert answer.status_code == 200, answer.text
                lapsed.append(metrics(one)["writ_confirmation_timeouts_total"])
        with psycopg.connect(services.url) as db:
            assert db.execute("SELECT count(*) FROM servers").fetchone() == (1,), "a writer has removed its row"
        assert lapsed == lapsed[:1] * 3, "only the first write waits for the lease"


def test_what_a_service_imports_at_its_start_is_seen_everywhere_when_it_is_ready(database: str, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    model.write_text('{"model": 1, "roles": [{"id": "r"}]}')
    with together(database, tmp_path, 1) as services, services.servers[0].client() as client:
        assert client.get("/readyz").json()["revision"] == 0
        services.start("--import", str(model))
        assert client.get("/readyz").json()["revision"] == 1


def test_a_service_without_its_database_decides_nothing(tmp_path: Path) -> None:
    place = postgres.needed()
    with postgres.server(place) as conninfo:
        given = dict(part.split("=") for part in conninfo.split())
        with together(f"postgresql://writ@/postgres?host={given['host']}", tmp_path, 1) as services:
            (server,) = services.servers
            assert decision(server) == 200
            database = int((Path(given["host"]) / "data" / "postmaster.pid").read_text().split()[0])
            os.kill(database, signal.SIGQUIT)
            undecided = "each worker may decide until it has seen that the lease is over, so many are asked in a row"
            assert wait_until(lambda: all(decision(server) == 500 for _ in range(16))), undecided
            with server.client() as client:
                assert client.get("/readyz").status_code == 503


def test_a_promoted_replica_begins_an_epoch(record_property: Record, tmp_path: Path) -> None:
    """The primary is killed, and its replica takes over. No revision has two contents, since the epoch rises.

    A keeper raises it. So no worker, which may reach the replica before it, asks people for a takeover.
    """
    place = postgres.needed()
    with postgres.server(place) as primary, postgres.replica(place, primary) as (replica, promote):
        hosts = [dict(part.split("=") for part in one.split())["host"] for one in (primary, replica)]
        url = f"postgresql://writ@/postgres?host={','.join(hosts)}&target_session_attrs=read-write"
        is_over = []

        def fail_over(_services: Together) -> None:
            outlast(1)
            if not is_over:
                is_over.append(True)
                os.kill(int((Path(hosts[0]) / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
                promote()

        with together(url, tmp_path, 3) as services:
            histories = found_under(services, fail_over, seconds=8 * LEASE)
            logs = "".join(server.log for server in services.servers)
    record(record_property, histories, "the primary is killed, its replica is promoted")
    assert logs.count("so the epoch of each environment is raised") == 1, logs
    assert "writ takeover" not in logs, logs
    found = histories.operations
    assert_sound(found, fails_over=True)
    assert len({one.position.epoch for one in found if one.position is not None}) == 2


def test_with_local_consistency_a_write_waits_for_no_other_server(database: str, tmp_path: Path) -> None:
    """Other servers see it soon: they hear of it. A write that waited for the lease would end without an answer."""
    with together(database, tmp_path, 0) as services:
        leased = services.start(WRIT_LEASE_SECONDS="600")
        local = services.start(WRIT_LEASE_SECONDS="600", WRIT_CONSISTENCY="local")
        tell(leased, signal.SIGSTOP)
        with local.client() as client:
            model = {"model": 1, "roles": [{"id": "r"}]}
            assert client.put(f"{ENV}/model", json=model, headers={"If-Match": "*"}).status_code == 200
        tell(leased, signal.SIGCONT)
        with leased.client() as client:
            assert wait_until(lambda: client.get("/readyz").json().get("revision") == 1)
        assert decision(local) == 200


def test_a_store_in_the_data_directory_that_is_not_used_is_told_of(database: str, tmp_path: Path) -> None:
    (tmp_path / "data0").mkdir()
    (tmp_path / "data0" / "writ.db").touch()
    with together(database, tmp_path, 1) as services:
        assert "writ.db` is not used" in services.servers[0].log


def metrics(server: Server) -> dict[str, float]:
    """The metrics of a service without labels, by their names."""
    with server.client() as client:
        text = client.get("/metrics").raise_for_status().text
    found = [one for family in text_string_to_metric_families(text) for one in family.samples]
    return {one.name: one.value for one in found if not one.labels}


def change(server: Server) -> None:
    """Write once, and return when it is answered."""
    with server.client() as client:
        model = {"model": 1, "roles": [{"id": f"r{time.monotonic_ns()}"}]}
        client.put(f"{ENV}/model", json=model, headers={"If-Match": "*"}).raise_for_status()


def test_the_metrics_tell_of_leases_and_of_writes_that_wait_for_one(database: str, tmp_path: Path) -> None:
    with together(database, tmp_path, 2) as services:
        one, other = services.servers
        assert wait_until(lambda: metrics(one)["writ_servers"] == 2)
        assert 0 < metrics(one)["writ_lease_remaining_seconds"] <= LEASE
        before = metrics(one)
        change(one)
        after = metrics(one)
        assert after["writ_confirmation_seconds_count"] > before["writ_confirmation_seconds_count"]
        lapsed = after["writ_confirmation_timeouts_total"]
        tell(other, signal.SIGKILL)
        change(one)
        assert metrics(one)["writ_confirmation_timeouts_total"] > lapsed
        assert wait_until(lambda: metrics(one)["writ_servers"] == 1)
        os.kill(keeper(one), signal.SIGSTOP)
        assert wait_until(lambda: metrics(one)["writ_lease_remaining_seconds"] == 0)
        os.kill(keeper(one), signal.SIGCONT)


def test_a_store_in_a_file_has_no_lease_to_tell_of(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server:
        assert not {"writ_servers", "writ_lease_remaining_seconds"} & {*metrics(server)}
