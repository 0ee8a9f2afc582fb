"""Fault injections with fresh seeds: damaged bundles and deltas, killed writers, killed workers."""

import json
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import httpx
from writ.bundles.delta import decode_delta, encode_delta
from writ.bundles.errors import BundleError
from writ.runtime import Engine

from tests.api.store.test_crash import begin, killed_round
from tests.deep.task import Task
from tests.support.bundling import bundle_file, compiled, engine_for
from tests.support.deltas import delta_between
from tests.support.processes import children
from tests.support.server import Server, running
from tests.support.strategies import document, seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request
from tests.support.waiting import wait_until

ROLES = "/v1/environments/default/roles"
WRITES = 60
"""Writes to a server while its workers are killed."""


def check_faults(task: Task) -> None:
    """All kinds in turn, until the time is over; the dear ones less often."""
    kinds: tuple[Callable[[Task, Random], None], ...] = (damage_bundles, damage_deltas, kill_writers, kill_workers)
    turns = 0
    while task.left > 0:
        kind = kinds[turns % len(kinds)]
        seed = task.fresh_seed()
        try:
            kind(task, Random(seed))
        except Exception as ex:
            task.fail(f"{kind.__name__} with {seed}: {type(ex).__name__}: {str(ex)[:500]}")
        turns += 1
    task.note(f"{turns} turns of {', '.join(kind.__name__ for kind in kinds)}")


def damage_bundles(task: Task, random: Random) -> None:
    """A bundle with changed, missing or exchanged bytes is refused in words, or answers as the whole one does."""
    for _ in range(10):
        model, asked, now = seeded_case(random.getrandbits(40))
        questions = [asked, *(request(Pick.seeded(random.getrandbits(40)), model) for _ in range(5))]
        whole = bundle_file(model, task.folder / "whole.bundle")
        right = [Engine.open(whole).decide(question, now) for question in questions]
        content = whole.read_bytes()
        for number in range(60):
            damaged = task.folder / f"damaged{number % 2}.bundle"
            damaged.unlink(missing_ok=True)
            damaged.write_bytes(damage(random, content))
            for question, answer in zip(questions, right, strict=True):
                found = answer_of(damaged, question, now)
                if found not in (answer, None):
                    kept = task.cases / "found" / f"damaged_{random.getrandbits(32):08x}.bundle"
                    task.fail(f"a damaged bundle answers {found}, the whole one {answer}, to {question}: see {kept}")
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    kept.write_bytes(damaged.read_bytes())
            task.count()


def damage(random: Random, content: bytes) -> bytes:
    """The content with a fault."""
    at, other = random.randrange(len(content)), random.randrange(len(content))
    match random.randrange(5):
        case 0:
            return content[:at]
        case 1:
            return content[:at] + bytes([content[at] ^ (1 << random.randrange(8))]) + content[at + 1 :]
        case 2:
            first, last = sorted((at, other))
            return content[:first] + bytes(last - first) + content[last:]
        case 3:
            moved = bytearray(content)
            moved[at : at + 8], moved[other : other + 8] = moved[other : other + 8], moved[at : at + 8]
            return bytes(moved)
        case _:
            return content + bytes(random.randrange(1, 64))


def answer_of(bundle: Path, question: dict, now: float) -> dict | None:
    """The decision, or None where the damage was found."""
    try:
        return Engine.open(bundle).decide(question, now)
    except BundleError:
        return None


def damage_deltas(task: Task, random: Random) -> None:
    """A damaged delta is refused in words and changes nothing, or is read as some delta; it never crashes."""
    (first, asked, now), (second, _, _) = seeded_case(random.getrandbits(40)), seeded_case(random.getrandbits(40))
    content = encode_delta(delta_between(compiled(first), compiled(second), 1))
    engine = engine_for(first, task.folder / "led.bundle")
    before = engine.decide(asked, now)
    for _ in range(100):
        with suppress(BundleError):
            decode_delta(damage(random, content))
        if engine.decide(asked, now) != before:
            task.fail("an answer changed without a delta")
        task.count()


def kill_writers(task: Task, random: Random) -> None:
    """A killed process: what it acknowledged is there, and no half of a write."""
    folder = task.folder / f"store{random.getrandbits(32)}"
    folder.mkdir()
    begin(folder)
    first = 0
    for kill_after in [random.randrange(1, 60) for _ in range(3)]:
        first = killed_round(folder, first, kill_after)
        task.count()


def kill_workers(task: Task, random: Random) -> None:
    """Workers are killed while they write: acknowledged writes stay, others take their place, answers go on."""
    folder = task.folder / f"served{random.getrandbits(32)}"
    folder.mkdir()
    (folder / "model.json").write_text(json.dumps(document(Pick.seeded(random.getrandbits(40)))))
    with running(folder / "data", "--import", str(folder / "model.json"), workers=2) as server:
        acknowledged = write_while_killing(task, server, random)
        found = all_roles(server)
        if missing := acknowledged - found:
            task.fail(f"acknowledged and lost: {sorted(missing)}")
        if not wait_until(lambda: len(children(server.process.pid)) == 2):
            task.fail("a killed worker has no successor")


def write_while_killing(task: Task, server: Server, random: Random) -> set[str]:
    """Returns the ids that the server confirmed."""
    confirmed: set[str] = set()
    kills = set(random.sample(range(WRITES), 4))
    for number in range(WRITES):
        workers = children(server.process.pid)
        if number in kills and workers:
            os.kill(random.choice(workers), signal.SIGKILL)
        try:
            with server.client() as client:
                if client.post(ROLES, json={"id": f"killed {number}"}).status_code == 201:
                    confirmed.add(f"killed {number}")
        except httpx.TransportError:
            pass  # the worker that had it is dead: it may have written or not
        task.count()
    return confirmed


def all_roles(server: Server) -> set[str]:
    """The ids of all roles, page by page, by a server that lives again."""
    found: set[str] = set()

    def read() -> bool:
        try:
            with server.client() as client:
                answer = client.get("/v1/environments/default/model")
        except httpx.TransportError:
            return False
        found.update(role["id"] for role in answer.json().get("roles", []))
        return answer.status_code == 200

    assert wait_until(read), "the server does not live again"
    return found
