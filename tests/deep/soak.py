"""The soak: ordinary callers alone, then beside hostile ones, against a real server with two workers.

It fails for a wrong answer to an ordinary caller, for a lost worker, and for memory that grows without end. How slow
the ordinary callers get is told beside the target. A missed target is a failure with `--strict` only.
"""

import json
import multiprocessing
from multiprocessing.pool import AsyncResult
from multiprocessing.pool import Pool as ProcessPool

import httpx

from tests.deep.memory import Watch
from tests.deep.soak_callers import SCENARIOS, Ordinary, hostile_caller, ordinary_caller
from tests.deep.soak_model import BOUND, model, questions, tiny_model
from tests.deep.task import Task
from tests.support.processes import children
from tests.support.server import KEY, Server, running

ALONE = 0.25
"""The part of the time in which ordinary callers are alone."""

MOST_TIMES = 2.0
"""The target: the p99 of ordinary callers beside hostile ones, in p99s alone."""

_SETTINGS = {"WRIT_MAX_FAILED_ATTEMPTS": "1000000"}
LEAST_SECONDS = 5.0
"""The seconds for which the callers ask, also if the run has less time."""

_START = 15.0
_PATIENCE = 120.0


def soak(task: Task) -> None:
    """Both phases on one server."""
    folder = task.folder / "soak"
    folder.mkdir()
    (folder / "model.json").write_text(json.dumps(model()))
    seconds = max(LEAST_SECONDS, task.left - _START)
    with (
        running(folder / "data", "--import", str(folder / "model.json"), settings=_SETTINGS, workers=2) as server,
        multiprocessing.get_context("spawn").Pool(2) as pool,
    ):
        bound = bound_key(server)
        workers = set(children(server.process.pid))
        alone = ordinary(pool, server, task, ALONE * seconds).get(ALONE * seconds + _PATIENCE)
        with Watch(server.process.pid) as watch:
            beside, counts = both(pool, server, bound, task, (1 - ALONE) * seconds)
        judge(task, alone, beside)
        judge_workers(task, server, workers)
        judge_memory(task, watch)
        tell_hostile(task, counts)


def bound_key(server: Server) -> str:
    """Make an environment for the models that hostile callers write. Returns a key that is bound to it."""
    with server.client() as client:
        client.post("/v1/environments", json={"id": BOUND}).raise_for_status()
        client.put(f"/v1/environments/{BOUND}/model", json=tiny_model()).raise_for_status()
        given = {"name": "hostile", "scopes": ["write"], "environments": [BOUND]}
        return str(client.post("/v1/api-keys", json=given).raise_for_status().json()["key"])


def ordinary(pool: ProcessPool, server: Server, task: Task, seconds: float) -> AsyncResult[Ordinary]:
    """Start the ordinary callers in a process of their own."""
    return pool.apply_async(ordinary_caller, (server.host, server.port, KEY, questions(), task.fresh_seed(), seconds))


def both(
    pool: ProcessPool, server: Server, bound: str, task: Task, seconds: float
) -> tuple[Ordinary, dict[str, dict[str, int]]]:
    """Run ordinary and hostile callers together."""
    args = (server.host, server.port, KEY, bound, task.fresh_seed(), seconds)
    hostile = pool.apply_async(hostile_caller, args)
    calm = ordinary(pool, server, task, seconds).get(seconds + _PATIENCE)
    return calm, hostile.get(seconds + _PATIENCE)


def judge(task: Task, alone: Ordinary, beside: Ordinary) -> None:
    """Wrong answers fail; slowness is told."""
    task.count(len(alone.times) + len(beside.times))
    for phase, found in (("alone", alone), ("beside hostile callers", beside)):
        task.note(
            f"ordinary callers {phase}: {len(found.times):,} answers, p50 {percentile(found.times, 50):.2f} ms, "
            f"p99 {percentile(found.times, 99):.2f} ms, longest {max(found.times, default=0):.0f} ms, "
            f"{found.lost} calls without an answer"
        )
        for wrong in found.wrong[:3]:
            task.fail(f"a wrong answer {phase}: {wrong}")
    if not alone.times or not beside.times:
        task.fail("ordinary callers got no answers")
        return
    times = percentile(beside.times, 99) / percentile(alone.times, 99)
    missed = times > MOST_TIMES
    task.note(f"p99 is {times:.1f} times that alone, the target is {MOST_TIMES:.0f}: {'MISSED' if missed else 'kept'}")
    if missed and task.strict:
        task.fail("the target for p99 is missed")
    if beside.lost and task.strict:
        task.fail("ordinary calls got no answer")


def judge_workers(task: Task, server: Server, before: set[int]) -> None:
    """The same workers, alive and ready."""
    after = set(children(server.process.pid))
    task.note(f"workers before {sorted(before)}, after {sorted(after)}")
    if after != before:
        lines = [line for line in server.log.splitlines() if "rror" in line or "imeout" in line or "worker" in line]
        task.fail(f"a worker was lost: {' | '.join(lines[-4:])[:800]}")
    try:
        ready = httpx.get(f"{server.url}/readyz", timeout=30).status_code
    except httpx.TransportError as ex:
        ready = repr(ex)
    if ready != 200:
        task.fail(f"the server is not ready afterwards: {ready}")


def judge_memory(task: Task, watch: Watch) -> None:
    """Memory at the end is near that of the first half; short runs only tell it."""
    task.note(f"memory of all workers: {watch.told()}")
    if grown := watch.grows_without_end():
        task.fail(grown)


def tell_hostile(task: Task, counts: dict[str, dict[str, int]]) -> None:
    """What the hostile callers did, and how they were answered."""
    for scenario, answers in counts.items():
        shown = ", ".join(f"{count:,} × {status}" for status, count in sorted(answers.items()))
        task.note(f"hostile, {SCENARIOS[scenario][0]}: {shown or 'nothing'}")


def percentile(times: list[float], part: int) -> float:
    """A percentile of milliseconds; 0 of none."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, len(ordered) * part // 100)] if ordered else 0.0
