"""Work on the store off the event loop: every commit is activated, even if its client has disconnected."""

import asyncio
import threading
import time
from contextlib import closing
from pathlib import Path
from random import Random
from sqlite3 import connect
from typing import Any

import pytest
from writ.api.engines.live.store_work import StoreWork
from writ.api.store import gathered_writes
from writ.api.store.database.time_limit import TimeLimit
from writ.api.store.elements.edits import Committed, Create, CreateAt, Delete, Edit, Patch
from writ.api.store.environments import Environment
from writ.api.store.errors import NotSignalled, Refusal, StoreUnavailable
from writ.api.store.gathered_writes import MOST_WRITES
from writ.api.store.store import Store
from writ.api.store.writing import PreparedWrite, Write

from tests.support.closing import closed_later
from tests.support.stored import ACTOR, put, stored
from tests.support.waiting import PATIENCE_SECONDS, rounds, until, wait_until

EDIT = Create("roles", {"id": "editor"})


def test_a_commit_is_activated_if_its_client_is_gone(tmp_path: Path) -> None:
    activated: list[int] = []

    async def activate(environment: Environment) -> None:
        activated.append(environment.revision)

    async def leave_early() -> None:
        work = StoreWork(Store.open(tmp_path), activate, time.time)
        with closing(connect(tmp_path / "writ.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            writing = asyncio.ensure_future(work.write("default", ACTOR, (EDIT,)))
            await rounds()
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
            assert activated == []
            other.execute("ROLLBACK")
        await work.change(lambda: None)  # behind the other one, in the thread that writes
        await rounds()

    asyncio.run(leave_early())
    assert activated == [1]


@pytest.mark.parametrize("has_begun", [False, True])
def test_only_what_has_begun_goes_on_without_its_client(tmp_path: Path, has_begun: bool) -> None:
    ended: list[str] = []

    async def work(gate: asyncio.Event) -> None:
        try:
            await gate.wait()
        except asyncio.CancelledError:
            ended.append("left")
            raise
        ended.append("finished")

    async def leave_early() -> None:
        gate, store = asyncio.Event(), closed_later(Store.open(tmp_path))
        waiting = asyncio.ensure_future(StoreWork(store, nothing, time.time).to_its_end(work(gate), lambda: has_begun))
        await rounds()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await rounds()
        gate.set()
        await rounds()

    async def nothing(_: Environment) -> None:
        """Activate nothing."""

    asyncio.run(leave_early())
    assert ended == ["finished" if has_begun else "left"]


def test_a_commit_that_can_not_be_activated_is_not_answered_as_done(tmp_path: Path) -> None:
    async def activate(_environment: Environment) -> None:
        raise StoreUnavailable("no bundle can be built")

    async def write() -> None:
        store = closed_later(Store.open(tmp_path))
        with pytest.raises(StoreUnavailable, match="no bundle"):
            await StoreWork(store, activate, time.time).write("default", ACTOR, (EDIT,))
        assert store.revision_of("default") == 1

    asyncio.run(write())


def test_a_write_that_waits_for_other_servers_delays_no_other(tmp_path: Path) -> None:
    """They are stored meanwhile, and each one waits by itself. Audit entries wait for no server."""

    async def write() -> None:
        hung, confirmed = asyncio.Event(), []

        async def confirm(_primary: object, _environment: object) -> None:
            confirmed.append(store.revision_of("default"))
            if len(confirmed) == 1:
                await hung.wait()

        store = closed_later(Store.open(tmp_path))
        work = StoreWork(store, active, time.time, confirm)
        first = asyncio.ensure_future(work.write("default", ACTOR, (EDIT,)))
        assert await until(lambda: confirmed)
        assert confirmed == [1], "the commit comes first"
        second = await work.write("default", ACTOR, (Create("roles", {"id": "reader"}),))
        assert second.environment.revision == 2
        assert await work.change(store.revision_of, "default") == 2
        assert (len(confirmed), first.done()) == (3, False)
        hung.set()
        assert (await first).environment.revision == 1

    asyncio.run(write())


def test_a_write_that_other_servers_may_not_see_is_not_answered_as_done(tmp_path: Path) -> None:
    async def confirm(_primary: object, _environment: object) -> None:
        raise NotSignalled("the change is stored, but it is not known whether each server has seen it yet")

    async def write() -> None:
        store = closed_later(Store.open(tmp_path))
        with pytest.raises(NotSignalled, match="is stored"):
            await StoreWork(store, active, time.time, confirm).write("default", ACTOR, (EDIT,))
        assert store.revision_of("default") == 1

    asyncio.run(write())


def test_what_is_stored_is_told_to_each_worker_before_other_servers_are_asked(tmp_path: Path) -> None:
    """A writer that was killed after its commit has told none of them."""
    numbers = list[int]()

    async def confirm(_primary: object, _environment: object) -> None:
        numbers.append(cell[2])
        raise NotSignalled("the change is stored, but it is not known whether each server has seen it yet")

    store = closed_later(Store.open(tmp_path))
    assert store.signal is not None
    cell = store.signal.cell
    before = cell[2]
    with pytest.raises(StoreUnavailable, match="send this again"):
        asyncio.run(StoreWork(store, active, time.time, confirm).confirm())
    assert before not in numbers
    assert len(numbers) == 1


def test_what_a_job_stored_is_confirmed_at_its_primary(tmp_path: Path) -> None:
    asked = list[object]()

    async def confirm(primary: object, _environment: object) -> None:
        asked.append(primary)

    work = StoreWork(closed_later(Store.open(tmp_path)), active, time.time, confirm)
    asyncio.run(work.activate("default", "a primary"))
    asyncio.run(work.activate("default"))
    assert asked == ["a primary", None]


async def active(_environment: Environment) -> None:
    """Nothing follows the store here."""


def test_writes_at_once_share_transactions(tmp_path: Path) -> None:
    """The signal is raised once for each commit, and before any of its writes is answered."""
    store = Store.open(tmp_path)
    assert store._connections.signal is not None
    signals: list[int] = []
    cell = store._connections.signal.cell

    async def write(work: StoreWork, number: int) -> int:
        done = await work.write("default", ACTOR, (Create("roles", {"id": str(number)}),))
        signals.append(cell[0])
        return done.environment.revision

    async def write_all() -> list[int]:
        work = StoreWork(store, active, time.time)
        return await asyncio.gather(*(write(work, number) for number in range(200)))

    before = cell[0]
    assert sorted(asyncio.run(write_all())) == list(range(1, 201))
    assert before not in signals
    assert 200 / MOST_WRITES <= len(set(signals)) <= 100
    store.close()


MODEL: dict[str, Any] = {
    "resource_types": [{"id": "document", "actions": ["read", "update"]}],
    "roles": [{"id": f"r{number}"} for number in range(4)],
    "groups": [{"id": "g"}],
    "subjects": [{"type": "counter", "id": "one", "attributes": {"count": 0}}],
}
SUBJECTS = [{"type": "user", "id": f"u{number}"} for number in range(3)]


def some_edits(random: Random) -> list[Edit]:
    """One edit of few elements, so that writers meet, and some of them are refused. Or a few edits, or a long one."""
    number, subject = random.randrange(8), random.choice(SUBJECTS)
    role, target = f"r{number}", {"type": "document", "id": f"d{number}"}
    scope = [{"resource_type_id": "document", "actions": [random.choice(["read", "update", "delete"])]}]
    one: list[Edit] = [
        Create("roles", {"id": role}),
        CreateAt("roles", (role,), {"name": str(random.random())}),
        Patch("roles", (role,), {"name": str(random.random())}),
        Delete("roles", (role,)),
        Create("assignments", {"role": role, "subject": subject}),
        Create("grants", {"id": f"g{number}", "subject": subject, "resource": target, "actions": ["read"]}),
        Delete("grants", (f"g{number}",)),
        CreateAt("policies", (f"p{number}",), {"effect": "ALLOW", "roles": [role], "resource_types": scope}),
        Delete("policies", (f"p{number}",)),
        Delete("roles", (role,), cascade=True),
        Create("groups", {"id": f"g{number}", "members": [{"group": "g"}, subject]}),
    ]
    return random.sample(one, random.choice([1, 1, 1, 1, 2]))


@pytest.mark.parametrize("seed", range(4))
def test_many_writers_at_once_leave_what_the_same_writes_leave_one_by_one(tmp_path: Path, seed: int) -> None:
    """Two workers, two environments. The successful writes, in the order of their revisions, explain everything."""
    random, done = Random(seed), list[tuple[str, list[Edit], Committed]]()
    stores = [closed_later(Store.open(tmp_path / "at once", "NORMAL")) for _ in range(2)]
    apart = closed_later(Store.open(tmp_path / "apart", "NORMAL"))
    for store in (stores[0], apart):
        store.create_environment(ACTOR, "staging")
        for env in ("default", "staging"):
            put(store, MODEL, env)
    refused: list[Refusal] = []

    async def writer(work: StoreWork, number: int) -> None:
        for _ in range(12):
            env, edits = random.choice(["default", "staging"]), some_edits(random)
            try:
                done.append((env, edits, await work.write(env, ACTOR, edits)))
            except Refusal as ex:
                refused.append(ex)
            if not random.randrange(4):
                await rounds(random.randrange(50))

    async def write_all() -> None:
        works = [StoreWork(store, active, time.time) for store in stores]
        await asyncio.gather(*(writer(works[number % 2], number) for number in range(24)))

    asyncio.run(write_all())
    assert len(done) > 60
    assert len(refused) > 60
    for env in ("default", "staging"):
        revision, seen = 1, set[int]()
        of_env = sorted((one for one in done if one[0] == env), key=lambda one: one[2].environment.revision)
        for _, edits, committed in of_env:
            number = committed.environment.revision
            if number in seen:  # it changed nothing
                continue
            seen.add(number)
            if number == revision + 1:
                again = apart.write(env, ACTOR, changing(edits, of_env, number))
                assert again.environment.revision == number
                revision = number
        assert revision == stores[0].revision_of(env) == max(seen)
        assert stored(stores[0], env) == stored(apart, env)
        assert deltas_of(stores[0], env) == deltas_of(apart, env)
    for store in (*stores, apart):
        store.close()


def changing(edits: list[Edit], of_env: list[tuple[str, list[Edit], Committed]], number: int) -> list[Edit]:
    """Of the writes at a revision, those of which one made it, and the others found nothing to change."""
    at = [(one, committed) for _, one, committed in of_env if committed.environment.revision == number]
    return next((one for one, committed in at if changed(one, committed, number)), edits)


def changed(edits: list[Edit], committed: Committed, number: int) -> bool:
    """Whether a write made its revision: it removed an element, or the version of a result is that revision."""
    tags = [None if result is None else int(result.etag.rpartition(".")[2]) for result in committed.results]
    return any(isinstance(edit, Delete) or tag == number for edit, tag in zip(edits, tags, strict=True))


def deltas_of(store: Store, env: str) -> list[bytes]:
    return list(store.updates(env, 1).deltas)


def test_a_write_that_takes_long_lets_those_of_other_environments_pass(tmp_path: Path) -> None:
    """The preparation of a group's write goes on until the other write is stored."""
    store, has_begun, may_end = closed_later(Store.open(tmp_path)), threading.Event(), threading.Event()
    store.create_environment(ACTOR, "other")
    prepare = store.writes.prepare

    def slow(write: Write) -> PreparedWrite:
        has_begun.set()
        assert may_end.wait(PATIENCE_SECONDS)
        return prepare(write)

    async def write() -> None:
        work = StoreWork(store, active, time.time)
        group = asyncio.ensure_future(work.write("default", ACTOR, (Create("groups", {"id": "g"}),)))
        assert await until(has_begun.is_set)
        await asyncio.wait_for(work.write("other", ACTOR, (EDIT,)), PATIENCE_SECONDS)
        assert not group.done()
        may_end.set()
        await group

    store.writes.prepare = slow  # type: ignore[method-assign]
    asyncio.run(write())
    assert (store.revision_of("default"), store.revision_of("other")) == (1, 1)


def test_a_short_write_that_takes_long_is_written_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathered_writes, "MOST_SECONDS_OF_ONE", -1.0)
    store = closed_later(Store.open(tmp_path))
    asyncio.run(StoreWork(store, active, time.time).write("default", ACTOR, (EDIT,)))
    assert store.revision_of("default") == 1


def test_a_trial_ends_when_its_client_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, begun, ended = closed_later(Store.open(tmp_path)), threading.Event(), threading.Event()

    def endless(env: str, actor: object, edits: object, since: int, limit: TimeLimit) -> None:
        begun.set()
        assert wait_until(limit.is_over)
        ended.set()

    async def leave() -> None:
        trial = asyncio.ensure_future(StoreWork(store, active, time.time).try_write("default", ACTOR, [EDIT], 0))
        assert await until(begun.is_set)
        trial.cancel()
        with pytest.raises(asyncio.CancelledError):
            await trial
        assert await until(ended.is_set)

    monkeypatch.setattr(store, "try_write", endless)
    asyncio.run(leave())
