"""Measures several servers on PostgreSQL, beside SQLite: `python -m tests.bench.servers [--seconds S] [--grants N]`.

PostgreSQL runs on this machine, with `fsync`. Services, database and clients share the cores.
"""

import argparse
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Final

import psycopg
from writ.api.store.leases.database_users import ServerLease

from tests.bench.opening import write_document
from tests.bench.sizes import GRANTS_A_SUBJECT, memory
from tests.bench.writes import CONNECTIONS, GRANTS, PATH, Writers, fsync_cost, grant
from tests.support import postgres
from tests.support.history_clients import Histories
from tests.support.processes import children
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, command, environment, running
from tests.support.servers_together import LEASE, Together, together

ROUNDS: Final = 2
CONFIRMATIONS: Final = 500
WRITES_A_SECOND: Final = 100
ENVIRONMENTS: Final = "/v1/environments"
SEVERAL: Final = tuple(f"{ENVIRONMENTS}/bench{number}" for number in range(4))
"""The paths of further environments."""

BY_HAND: Final = """
CREATE SCHEMA by_hand;
CREATE TABLE by_hand.environment (revision bigint NOT NULL);
INSERT INTO by_hand.environment VALUES (0);
CREATE TABLE by_hand.grants (id text PRIMARY KEY, subject text NOT NULL, resource text NOT NULL, body bytea NOT NULL);
CREATE TABLE by_hand.changes (revision bigint PRIMARY KEY, summary text NOT NULL, delta bytea NOT NULL);
CREATE TABLE by_hand.audit (number bigint PRIMARY KEY, entry text NOT NULL, hash bytea NOT NULL);
"""
"""What a write stores: an element, a change with its delta, and an entry of the audit log, in turns."""


def by_hand(url: str, count: int, seconds: float) -> float:
    """Returns the writes a second of so many connections, with the statements of a write alone."""
    began = time.monotonic()

    def write(number: int) -> int:
        done = 0
        with psycopg.connect(url) as db:
            while time.monotonic() < began + seconds:
                done += 1
                id, body = f"{began}-{number}-{done}", json.dumps(grant(done)).encode()
                update = "UPDATE by_hand.environment SET revision = revision + 1 RETURNING revision"
                row = db.execute(update).fetchone()
                assert row is not None
                values = (id, f"u{done}", f"d{done}", body)
                db.execute("INSERT INTO by_hand.grants VALUES (%s, %s, %s, %s)", values)
                db.execute("INSERT INTO by_hand.changes VALUES (%s, %s, %s)", (row[0], "{}", body))
                db.execute("INSERT INTO by_hand.audit VALUES (%s, %s, %s)", (row[0], "{}", bytes(32)))
                db.commit()
        return done

    with ThreadPoolExecutor(count) as threads:
        return sum(threads.map(write, range(count))) / seconds


def filled(server: Server) -> None:
    """Gives each environment of a service a model with some grants."""
    types = [{"id": "document", "actions": ["read"]}]
    model = {"model": 1, "resource_types": types, "grants": [grant(number) for number in range(GRANTS)]}
    with server.client() as client:
        for path in SEVERAL:
            client.post(ENVIRONMENTS, json={"id": path.removeprefix(f"{ENVIRONMENTS}/")}).raise_for_status()
        for path in (PATH, *SEVERAL):
            client.put(f"{path}/model", json=model, headers={"If-Match": "*"}).raise_for_status()


def writes_a_second(servers: Sequence[Server], count: int, seconds: float, paths: Sequence[str] = (PATH,)) -> float:
    """Returns the answered writes a second over so many connections."""
    writers = Writers(servers, count, paths)
    try:
        return writers.run(seconds)
    finally:
        writers.close()


def shown(seconds: Sequence[float]) -> str:
    """Returns the median and the 99th percentile in milliseconds."""
    parts = quantiles(seconds, n=100)
    return f"p50 {parts[49] * 1e3:.1f} ms, p99 {parts[98] * 1e3:.1f} ms"


def confirmations(url: str) -> list[float]:
    """Returns the seconds from a commit to the confirmation of the last server, one commit at a time."""
    lease, found = ServerLease(url, LEASE), []
    for _ in range(CONFIRMATIONS):
        began = time.perf_counter()
        lease.confirm(None).result()
        found.append(time.perf_counter() - began)
    lease.close()
    return found


def decisions(server: Server, seconds: float) -> list[float]:
    """Returns the seconds of decisions over one connection, one after the other."""
    asked = {"subject": grant(1)["subject"], "action": {"name": "read"}, "resource": grant(1)["resource"]}
    sent = request("POST", "/access/v1/evaluation", json.dumps(asked).encode(), key=KEY)
    found, until = [], time.monotonic() + seconds
    with RawConnection(server.host, server.port) as connection:
        while time.monotonic() < until:
            began = time.perf_counter()
            connection.send(sent)
            answer = connection.answer()
            found.append(time.perf_counter() - began)
            assert answer.status == 200, answer
    return found


@contextmanager
def writing(server: Server) -> Iterator[None]:
    """Writes to a service meanwhile, so many times a second."""
    over = threading.Event()

    def write() -> None:
        with server.client() as client:
            began = time.monotonic()
            for number in range(10**9):
                if over.wait(max(0.0, began + number / WRITES_A_SECOND - time.monotonic())):
                    return
                client.post(f"{PATH}/grants", json=grant(time.monotonic_ns())).raise_for_status()

    threads = [threading.Thread(target=write)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def fail_over(place: Path, folder: Path) -> str:
    """Returns the times without writes and decisions while a primary is killed and its replica is promoted."""
    with postgres.server(place) as primary, postgres.replica(place, primary) as (replica, promote):
        hosts = [dict(part.split("=") for part in one.split())["host"] for one in (primary, replica)]
        url = f"postgresql://writ@/postgres?host={','.join(hosts)}&target_session_attrs=read-write"
        with together(url, folder, 3) as services:
            urls, histories = [server.url for server in services.servers], Histories(KEY)
            histories.begin(urls[0])
            with histories.going_on(urls, urls):
                time.sleep(2.0)
                os.kill(int((Path(hosts[0]) / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
                began = time.monotonic()
                promote()
                promoted = time.monotonic() - began
                time.sleep(6 * LEASE)
    without = [f"{histories.longest_without(is_write):.1f} s" for is_write in (True, False)]
    return (
        f"promotion {promoted:.1f} s, without writes {without[0]}, without decisions {without[1]} (lease {LEASE:g} s)"
    )


def large(url: str, folder: Path, grants: int) -> str:
    """Returns the start and the memory of a server on a store with so many grants, without and with its bundle."""
    document = folder / "large.json"
    write_document(document, grants, max(1, grants // GRANTS_A_SUBJECT))
    variables = environment({"WRIT_STORE": url, "WRIT_ADMIN_KEY": KEY})
    line = command("import", str(document), "--data", str(folder / "large"))
    began = time.perf_counter()
    subprocess.run(line, env=variables, check=True, capture_output=True)
    parts = [f"import {time.perf_counter() - began:.0f} s"]
    for name in ("other", "other"):
        began = time.perf_counter()
        with running(folder / name, settings={"WRIT_STORE": url}, workers=2) as server:
            parts.append(f"start {time.perf_counter() - began:.1f} s")
            all_of_it = [server.process.pid, *children(server.process.pid)]
            parts.append(f"{sum(memory(one, 'Pss:') for one in all_of_it):.0f} MiB")
    return ", ".join(parts)


def part(title: str, found: Callable[[], str]) -> None:
    """Prints the figures of a part when they are there."""
    print(f"{title}: {found()}", flush=True)


def compare_writes(services: Together, sqlite: Server, seconds: float) -> None:
    """Prints the writes a second on each engine, with one server and with three."""
    with psycopg.connect(services.url) as db:
        db.execute(BY_HAND)
    services.start()
    filled(services.servers[0])
    for servers in (1, 3):
        while len(services.servers) < servers:
            services.start()
        for count in CONNECTIONS * ROUNDS:
            rates = {
                "SQLite": writes_a_second([sqlite], count, seconds),
                "PostgreSQL": writes_a_second(services.servers[:1], count, seconds),
                f"at all servers, {len(SEVERAL)} environments": writes_a_second(
                    services.servers, count, seconds, SEVERAL
                ),
                "by hand": by_hand(services.url, count, seconds),
            }
            told = ", ".join(f"{name} {rate:.0f}" for name, rate in rates.items())
            print(f"writes a second, servers {servers}, connections {count}: {told}", flush=True)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--grants", type=int, default=1_000_000)
    options = parser.parse_args()
    place = postgres.programs()
    assert place is not None, "install PostgreSQL's server"
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        print(f"fsync of 4 KiB: {fsync_cost(folder):.2f} ms")
        conninfo = stack.enter_context(postgres.server(place, fsync=True))
        host = dict(entry.split("=") for entry in conninfo.split())["host"]
        url = f"postgresql://writ@/postgres?host={host}"
        sqlite = stack.enter_context(running(folder / "sqlite"))
        filled(sqlite)
        (folder / "together").mkdir()
        with together(url, folder / "together", 0) as services:
            compare_writes(services, sqlite, options.seconds)
            part("commit to last confirmation, 3 servers", lambda: shown(confirmations(url)))
            other = services.servers[-1]
            part("decisions", lambda: shown(decisions(other, 2 * options.seconds)))
            with writing(services.servers[0]):
                title = f"decisions beside {WRITES_A_SECOND} writes a second at another server"
                part(title, lambda: shown(decisions(other, 2 * options.seconds)))
        (folder / "over").mkdir()
        part("fail-over", lambda: fail_over(place, folder / "over"))
        with psycopg.connect(conninfo, autocommit=True) as db:
            db.execute("CREATE DATABASE large")
        large_url = f"postgresql://writ@/large?host={host}"
        part(f"{options.grants:,} grants", lambda: large(large_url, folder, options.grants))


if __name__ == "__main__":
    main()
