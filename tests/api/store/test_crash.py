"""A killed process: every acknowledged write is there afterwards, and no half of a write."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

from writ.api.store.elements.edits import Create
from writ.api.store.store import Store

from tests.support.stored import ENV, deltas, put, stored, write

ROOT = Path(__file__).parents[3]

WRITER = """
import sys
from pathlib import Path
from writ.api.store.elements.edits import Create, Patch
from writ.api.store.store import Store
from tests.support.stored import ACTOR

store = Store.open(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), 10**9):
    names = [f"left {number}", f"right {number}"]
    store.write("default", ACTOR, [Create("roles", {"id": name}) for name in names])
    store.write("default", ACTOR, [Patch("subjects", ("counter", "one"), {"attributes": {"count": number}})])
    print(number, flush=True)
"""


GATHERED_WRITERS = """
import asyncio, sys, time
from pathlib import Path
from writ.api.engines.live.store_work import StoreWork
from writ.api.store.elements.edits import Create
from writ.api.store.store import Store
from tests.support.stored import ACTOR

async def active(_):
    pass

async def writer(work, name, first):
    for number in range(first, 10**9):
        await work.write("default", ACTOR, [Create("roles", {"id": f"{name} {number}"})])
        print(name, number, flush=True)

async def write_all(firsts):
    work = StoreWork(Store.open(Path(sys.argv[1])), active, time.time)
    await asyncio.gather(*(writer(work, name, first) for name, first in enumerate(firsts)))

asyncio.run(write_all(list(map(int, sys.argv[2:]))))
"""
WRITERS = 12


def acknowledged(directory: Path, first: int, kill_after: int) -> int:
    """Returns the number of the last write that was acknowledged before the kill."""
    command = [sys.executable, "-c", WRITER, str(directory), str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        for _ in range(kill_after):
            last = int(process.stdout.readline())
        os.kill(process.pid, signal.SIGKILL)
        for line in process.stdout:  # printed before the kill
            last = int(line) if line.endswith("\n") else last
    return last


def test_acknowledged_writes_outlast_the_writer(tmp_path):
    begin(tmp_path)
    first = 0
    for kill_after in (1, *(Random(7).randrange(2, 60) for _ in range(3))):
        first = killed_round(tmp_path, first, kill_after)


def test_acknowledged_writes_that_shared_a_transaction_outlast_their_writers(tmp_path):
    """Of each writer, at most the write under way is there without an answer, and all revisions have their delta."""
    Store.open(tmp_path).close()
    firsts = [0] * WRITERS
    for kill_after in (1, *(Random(8).randrange(2, 300) for _ in range(3))):
        last = gathered_acknowledged(tmp_path, firsts, kill_after)
        store = Store.open(tmp_path)
        ids = {role["id"] for role in stored(store)["roles"]}
        counts = [sum(id.startswith(f"{name} ") for id in ids) for name in range(WRITERS)]
        assert ids == {f"{name} {number}" for name, count in enumerate(counts) for number in range(count)}
        assert all(count - 1 in (done, done + 1) for count, done in zip(counts, last, strict=True))
        env = store.environment(ENV)
        revisions, _ = store.revisions(ENV, limit=1_000)
        assert [one.revision for one in revisions] == list(range(env.revision, 0, -1))
        assert env.revision == sum(counts)
        assert len(deltas(store, 0) or ()) == env.revision
        store.close()
        firsts = counts


def gathered_acknowledged(directory: Path, firsts: list[int], kill_after: int) -> list[int]:
    """Returns the last number that each writer was told of before the kill, or one below its first."""
    command = [sys.executable, "-c", GATHERED_WRITERS, str(directory), *map(str, firsts)]
    last = [first - 1 for first in firsts]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        for count, line in enumerate(process.stdout, 1):
            if line.endswith("\n"):
                name, number = map(int, line.split())
                last[name] = number
            if count == kill_after:
                os.kill(process.pid, signal.SIGKILL)
    return last


def begin(directory: Path) -> None:
    """Make the store that writers are killed on."""
    store = Store.open(directory)
    put(store, {"subjects": [{"type": "counter", "id": "one", "attributes": {"count": -1}}]})
    store.close()


def killed_round(directory: Path, first: int, kill_after: int) -> int:
    """Kill a writer, check the store, and return the number that the next one begins at."""
    last = acknowledged(directory, first, kill_after)
    store = Store.open(directory)
    document = stored(store)
    ids = {role["id"] for role in document["roles"]}
    assert {f"{side} {number}" for number in range(first, last + 1) for side in ("left", "right")} <= ids
    assert {id for id in ids if id.startswith("left")} == {f"left {id[6:]}" for id in ids if id.startswith("right")}
    (counter,) = document["subjects"]
    assert counter["attributes"]["count"] in (last, last + 1)
    env = store.environment(ENV)
    revisions, _ = store.revisions(ENV)
    assert [one.revision for one in revisions] == list(range(env.revision, 0, -1))
    assert len(deltas(store, 0) or ()) == env.revision
    store.close()
    return 1 + max(int(id.split()[1]) for id in ids)


def test_a_child_process_has_connections_of_its_own(tmp_path):
    """Like workers forked from a parent that used the store."""
    store = Store.open(tmp_path)
    write(store, Create("roles", {"id": "parent"}))
    child = os.fork()
    if not child:
        try:
            write(store, Create("roles", {"id": "child"}))
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    write(store, Create("roles", {"id": "parent again"}))
    assert [role["id"] for role in stored(store)["roles"]] == ["parent", "child", "parent again"]
    store.close()
