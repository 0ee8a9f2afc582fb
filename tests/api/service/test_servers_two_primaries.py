"""Services of which some follow a promoted replica, while the old primary lives on and others stay with it."""

import os
import random
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest

from tests.support import postgres
from tests.support.histories import Operation, Position
from tests.support.history_clients import Histories, position_of
from tests.support.server import KEY, Server
from tests.support.servers_together import (
    PAUSE,
    Record,
    ask,
    assert_sound,
    outlast,
    record,
    revision_token,
    shows_something,
    together,
)
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

LEAVE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'right' AND application_name = 'writ leases'
"""
"""Ends the sessions of the right service that are for leases. Those of its workers stay with the old primary."""


RIGHT_READERS = ("reader 1", "reader 2")
"""The sessions of the history that read at the right service."""


def epoch(server: Server) -> int:
    """The epoch of a service's decisions, or 0 if it decides nothing."""
    token = ask(server).headers.get("Writ-Revision")
    return position_of(token).epoch if token else 0


def is_new(one: Operation) -> bool:
    """Whether an operation is of the epoch that the replica has begun."""
    return one.position is not None and one.position.epoch > 1


class Databases(NamedTuple):
    """A primary and its replica, the call that promotes it, and the URLs of services that prefer one and the other."""

    primary: str
    replica: str
    promote: Callable[[], None]
    urls: Sequence[str]

    def fence(self) -> None:
        """End the old primary at once."""
        os.kill(int((Path(_host(self.primary)) / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)


def _host(conninfo: str) -> str:
    return dict(part.split("=") for part in conninfo.split())["host"]


@contextmanager
def two_databases() -> Iterator[Databases]:
    """The two, with the users `left` and `right` of the services."""
    place = postgres.needed()
    with postgres.server(place) as primary, postgres.replica(place, primary) as (replica, promote):
        with psycopg.connect(primary, autocommit=True) as db:
            for user in ("left", "right"):
                db.execute(f"CREATE ROLE {user} SUPERUSER LOGIN".encode())
        one, other = _host(primary), _host(replica)
        hosts = {"left": f"{one},{other}", "right": f"{other},{one}"}
        urls = [
            f"postgresql://{user}@/postgres?host={at}&target_session_attrs=read-write" for user, at in hosts.items()
        ]
        yield Databases(primary, replica, promote, urls)


class Wanderer(NamedTuple):
    """A client that asks any service, and sends the newest token that it got. `seen` is what it saw, in order."""

    servers: Sequence[Server]
    seen: list[Position]
    over: threading.Event

    def ask(self) -> None:
        """Ask until it is over. Forget the token if its epoch is over, as the page says."""
        token = None
        while not self.over.wait(PAUSE):
            answer = ask(random.choice(self.servers), {"Writ-Min-Revision": token} if token else None)
            if answer.status_code == 200:
                token = answer.headers["Writ-Revision"]
                self.seen.append(position_of(token))
            elif "other-epoch" in answer.text:
                token = None


@contextmanager
def wandering(servers: Sequence[Server]) -> Iterator[Wanderer]:
    """Such a client, which asks until the block ends."""
    wanderer = Wanderer(servers, [], threading.Event())
    with ThreadPoolExecutor(1) as threads:
        asking = threads.submit(wanderer.ask)
        try:
            yield wanderer
        finally:
            wanderer.over.set()
        asking.result()


def assert_each_side_sound(found: Sequence[Operation], new_epoch: int, forked_at: int) -> None:
    """Each epoch alone is linearizable. The new one begins with the revision `forked_at` of the old one."""
    old = [one for one in found if one.position is None or one.position.epoch < new_epoch]
    assert_sound(old)
    new = [
        one
        for one in found
        if one.position is None
        or one.position.epoch == new_epoch
        or (one.is_write and one.position.revision <= forked_at)
    ]
    assert_sound(new, fails_over=True)


def assert_not_mixed(found: Sequence[Operation], new_epoch: int) -> None:
    """A worker goes from one primary to the other once, and no worker stays behind an answered write."""
    for session in {read.session for read in found if not read.is_write}:
        reads = [read.position for read in sorted(found, key=lambda one: one.began) if read.session == session]
        assert reads == sorted(reads)
    moved = min(one.ended for one in found if one.is_write and one.position and one.position.epoch == new_epoch)
    late = [one for one in found if one.session in RIGHT_READERS and one.began > moved]
    assert {one.position.epoch for one in late} == {new_epoch}


def test_two_primaries_are_two_epochs_and_no_service_mixes_them(record_property: Record, tmp_path: Path) -> None:
    """The keeper of one service reaches the new primary, while its workers are still connected to the old one.

    The other service stays with the old primary, until that is ended.
    """
    histories = Histories(KEY, pause=2 * PAUSE)
    with two_databases() as databases, together(databases.urls[0], tmp_path, 1) as services:
        left, right = services.servers[0], services.start(WRIT_STORE=databases.urls[1])
        histories.begin(left.url)
        with (
            histories.going_on([left.url, right.url], [left.url, right.url, right.url]),
            wandering(services.servers) as wanderer,
        ):
            assert wait_until(lambda: shows_something(histories.operations))
            databases.promote()
            with psycopg.connect(databases.replica, autocommit=True) as db:
                (forked_at,) = db.execute("SELECT revision FROM environments").fetchone() or (0,)
            with psycopg.connect(databases.primary, autocommit=True) as db:
                db.execute(LEAVE)
            assert wait_until(lambda: shows_something([one for one in histories.operations if is_new(one)]))
            of_left, of_right = revision_token(left), revision_token(right)
            crossed = [
                ask(right, {"Writ-Min-Revision": of_left}),
                ask(left, {"Writ-Min-Revision": of_right}),
            ]
            databases.fence()
            assert wait_until(lambda: epoch(left) > 1)
            lost = ask(left, {"Writ-Min-Revision": of_left})
            outlast(1)
    record(record_property, histories, "two primaries, the old one is fenced late")
    new_epoch = position_of(of_right).epoch
    assert position_of(of_left).epoch == 1
    assert [answer.status_code for answer in (*crossed, lost)] == [409, 409, 409]
    assert ["other-epoch" in answer.text for answer in (*crossed, lost)] == [True, False, True]
    assert "later-epoch" in crossed[1].text
    assert_each_side_sound(histories.operations, new_epoch, forked_at)
    assert_not_mixed(histories.operations, new_epoch)
    assert wanderer.seen == sorted(wanderer.seen), "a client that sends its token sees no older answer"
    assert {seen.epoch for seen in wanderer.seen} == {1, new_epoch}
