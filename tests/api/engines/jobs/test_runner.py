"""Jobs run in forks of a clean process, within their limits, and end with the caller."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from writ.api.engines.jobs import body, runner
from writ.api.engines.jobs.job import Job, find_job
from writ.api.engines.jobs.runner import Jobs
from writ.api.engines.jobs.starting import Template
from writ.api.http.caller import CALLER
from writ.api.service.jobs import JOBS
from writ.api.store.errors import Conflict, Rejected, StoreUnavailable
from writ.api.store.store import Store

from tests.support.jobs import ERRORS, FAIL, GATED, GATED_QUESTION, LOOK, LOOK_LOCKED, STOP, STOP_SHORT, Asked, Seen
from tests.support.processes import is_alive
from tests.support.waiting import until, wait_until

ROOT = Path(__file__).parents[4]
EARLY = "the process that is tested ended early"
MEMORY = "check whether the machine has enough memory"


@pytest.fixture(scope="module")
def template() -> Iterator[Template]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        template = Template()
        template.start([LOOK])
        yield template
        template._forget()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    Store.open(tmp_path).close()
    return tmp_path


@pytest.fixture
def jobs(directory: Path, template: Template) -> Jobs:
    return Jobs(directory, template)


def looked(jobs: Jobs, word: str = "", job: Job[Asked, Seen] = LOOK, document: Any = None) -> Seen:
    return asyncio.run(jobs.run(job, Asked(word), document))


def failure(jobs: Jobs, word: str) -> StoreUnavailable:
    with pytest.raises(StoreUnavailable) as found:
        asyncio.run(jobs.run(FAIL, Asked(word)))
    return found.value


async def at_gate(jobs: Jobs, directory: Path) -> "tuple[asyncio.Task[None], int]":
    task = asyncio.create_task(jobs.run(STOP, Asked()))
    file = directory / "stopped"
    assert await until(lambda: file.exists() and file.read_text())
    return task, int(file.read_text())


async def gone(process: int) -> None:
    assert await until(lambda: not is_alive(process))


def test_a_job_gets_its_request_its_document_and_its_store(jobs: Jobs, directory: Path, tmp_path: Path) -> None:
    path = tmp_path / "document"
    path.write_text("text")
    with path.open("rb") as document:
        seen = looked(jobs, "word", document=document)
    assert (seen.word, seen.document, seen.directory) == ("word", "text", str(directory))
    assert looked(jobs).document == ""


def test_a_job_finds_nothing_of_another_one(jobs: Jobs) -> None:
    first, second = looked(jobs, "one"), looked(jobs, "two")
    assert (first.left_behind, second.left_behind) == (["one"], ["two"])
    assert first.process != second.process
    assert first.modules == [], "it loads no server"


def test_a_job_has_no_file_of_the_service(jobs: Jobs, tmp_path: Path) -> None:
    with (tmp_path / "held").open("w") as held:
        os.set_inheritable(held.fileno(), True)
        files = looked(jobs).files
    ours = [name for name in files if name.startswith("/") and "/dev/" not in name and "writ.db" not in name]
    assert ours == [os.readlink("/proc/self/fd/2")] * len(ours), "standard error only"
    assert sum(name.startswith("socket:") for name in files) == 1, "the channel to its caller"


def test_the_template_has_no_file_of_the_service(template: Template) -> None:
    looking = Path(f"/proc/{template.process}/fd")
    sockets = [one for one in looking.iterdir() if os.readlink(one).startswith("socket:")]
    assert len(sockets) == 1
    assert len(list(looking.iterdir())) <= 4


def test_only_a_job_that_holds_the_lock_keeps_its_priority(jobs: Jobs) -> None:
    mine = os.getpriority(os.PRIO_PROCESS, 0)
    assert looked(jobs).niceness == mine + 10
    assert looked(jobs, "read", LOOK_LOCKED).niceness == mine + 10
    assert looked(jobs, "write", LOOK_LOCKED).niceness == mine


@pytest.mark.parametrize("word", ERRORS)
def test_the_refusals_of_a_job_are_raised(jobs: Jobs, word: str) -> None:
    with pytest.raises(type(ERRORS[word])) as found:
        asyncio.run(jobs.run(FAIL, Asked(word)))
    expected = ERRORS[word]
    assert str(found.value) == str(expected)
    for error, name in ((Conflict, "users"), (Rejected, "faults"), (StoreUnavailable, "public")):
        if isinstance(expected, error):
            assert getattr(found.value, name) == getattr(expected, name)


def test_what_ends_a_job_is_one_sentence(jobs: Jobs) -> None:
    assert str(failure(jobs, "killed")) == f"{EARLY}; look and {MEMORY}"
    assert "needs more than" in str(failure(jobs, "memory"))
    disk = failure(jobs, "disk")
    assert str(disk) == "the process that is tested failed: no space on /secret; look"
    assert disk.public == "the process that is tested failed; look"
    assert failure(jobs, "bug").public == "the process that is tested failed; look"


def test_a_job_ends_at_its_time_limit(jobs: Jobs, directory: Path) -> None:
    with pytest.raises(StoreUnavailable) as found:
        asyncio.run(jobs.run(STOP_SHORT, Asked()))
    assert str(found.value) == "the process that is tested took longer than 0.5 seconds while it was at `stopping`"
    asyncio.run(gone(int((directory / "stopped").read_text())))
    assert not (directory / "went on").exists()


def test_a_job_ends_with_the_task_that_waits_for_it(jobs: Jobs, directory: Path) -> None:
    async def cancelled() -> None:
        task, process = await at_gate(jobs, directory)
        assert is_alive(process)
        task.cancel()
        await gone(process)

    asyncio.run(cancelled())
    assert not (directory / "went on").exists()


def test_jobs_of_a_kind_have_turns_and_are_confirmed_then(jobs: Jobs, directory: Path) -> None:
    def refuse() -> None:
        raise Conflict("no more")

    async def two() -> None:
        first, process = await at_gate(jobs, directory)
        second = asyncio.create_task(jobs.run(STOP, Asked(), None, refuse))
        assert (await jobs.run(LOOK, Asked("of another kind"))).word == "of another kind"
        assert not second.done()
        os.kill(process, signal.SIGKILL)
        with pytest.raises(StoreUnavailable):
            await first
        with pytest.raises(Conflict):
            await second

    asyncio.run(two())


async def asked(jobs: Jobs, job: Job[Asked, str], environment: str, word: str) -> str:
    CALLER.set((environment, f"caller of {environment}"))
    return await jobs.run(job, Asked(word))


async def waiting(jobs: Jobs, directory: Path, job: Job[Asked, str], environment: str) -> "asyncio.Task[str]":
    """Returns the task of a job that stands at its gate."""
    task = asyncio.create_task(asked(jobs, job, environment, f"wait {environment}"))
    assert await until((directory / f"wait {environment}").exists)
    return task


def open_gate(directory: Path, environment: str) -> None:
    (directory / f"gate of wait {environment}").write_bytes(b"")


@pytest.mark.parametrize("job", [GATED, GATED_QUESTION])
def test_a_long_job_keeps_no_other_environment_waiting(jobs: Jobs, directory: Path, job: Job[Asked, str]) -> None:
    async def three() -> None:
        long = await waiting(jobs, directory, job, "one")
        queued = [asyncio.create_task(asked(jobs, job, "one", f"own {number}")) for number in range(3)]
        assert await asked(jobs, job, "other", "at once") == "at once"
        assert not any(task.done() for task in (long, *queued))
        open_gate(directory, "one")
        assert await asyncio.gather(long, *queued) == ["wait one", "own 0", "own 1", "own 2"]

    asyncio.run(three())


def test_questions_that_had_their_turn_give_way_to_another_environment(
    jobs: Jobs, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def three() -> None:
        first = await waiting(jobs, directory, GATED_QUESTION, "one")
        second = await waiting(jobs, directory, GATED_QUESTION, "two")
        own = asyncio.create_task(asked(jobs, GATED_QUESTION, "two", "own"))
        assert await asked(jobs, GATED, "three", "of another kind") == "of another kind"
        assert not any(task.done() for task in (first, second, own))
        assert await asked(jobs, GATED_QUESTION, "three", "in turn") == "in turn"
        ended = [task for task in (first, second) if task.done() or task.cancelling()]
        assert ended
        with pytest.raises(StoreUnavailable) as found:
            await ended[0]
        assert str(found.value) == (
            "the process that is tested had its turn of 0 seconds, and others wait; ask again later"
        )

    monkeypatch.setattr(runner, "TURN_SECONDS", 0.0)
    monkeypatch.setattr(runner, "LOOK_SECONDS", 0.0)
    asyncio.run(three())


def test_a_write_that_had_its_turn_goes_on(jobs: Jobs, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def three() -> None:
        writes = [await waiting(jobs, directory, GATED, environment) for environment in ("one", "two")]
        third = asyncio.create_task(asked(jobs, GATED, "three", "in turn"))
        assert await asked(jobs, GATED_QUESTION, "three", "of another kind") == "of another kind"
        assert not third.done()
        open_gate(directory, "two")
        open_gate(directory, "one")
        assert await asyncio.gather(*writes, third) == ["wait one", "wait two", "in turn"]

    monkeypatch.setattr(runner, "TURN_SECONDS", 0.0)
    asyncio.run(three())


def test_a_template_that_was_killed_is_replaced(jobs: Jobs, directory: Path, template: Template) -> None:
    async def killed() -> None:
        task, _ = await at_gate(jobs, directory)
        before = template.process
        assert before is not None
        os.kill(before, signal.SIGKILL)
        await gone(before)
        (directory / "gate").write_bytes(b"")
        await task  # a job that runs goes on
        assert (await jobs.run(LOOK, Asked("again"))).word == "again"
        assert template.process != before

    asyncio.run(killed())
    assert (directory / "went on").exists()


def test_only_the_end_of_the_service_ends_the_template(jobs: Jobs, template: Template) -> None:
    looked(jobs)
    assert template.process is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        os.kill(template.process, number)
    looked(jobs)
    assert is_alive(template.process)


SERVICE = """
import asyncio, sys
from pathlib import Path
from tests.support.jobs import STOP, Asked
from writ.api.engines.jobs.runner import Jobs
from writ.api.engines.jobs.starting import TEMPLATE
TEMPLATE.start([STOP])
print(TEMPLATE.process, flush=True)
asyncio.run(Jobs(Path(sys.argv[1])).run(STOP, Asked()))
"""


def test_nothing_outlives_a_service_that_is_killed(directory: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", SERVICE, str(directory)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        template = int(service.stdout.readline())
        process = wait_until(lambda: (directory / "stopped").exists() and (directory / "stopped").read_text())
        service.kill()
    assert isinstance(process, str)
    asyncio.run(gone(int(process)))
    asyncio.run(gone(template))


def test_a_job_ends_though_its_caller_read_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller that is killed with unread messages resets the channel, which is another end than a closed one."""
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    caller, job = socket.socketpair()
    job.sendall(b"a stage begins")
    caller.close()
    body._end_with_the_caller(job)
    job.close()
    assert ended == [0]


def test_no_process_of_a_job_is_left_as_a_zombie(jobs: Jobs, template: Template) -> None:
    looked(jobs)
    children = Path(f"/proc/{template.process}/task/{template.process}/children")
    assert wait_until(lambda: children.read_text() == "")


def test_the_registry_has_every_job() -> None:
    assert [find_job(job.place) for job in JOBS] == list(JOBS)
    made = subprocess.run(
        ["grep", "-rlE", "= Job\\(", "--include=*.py", str(ROOT / "api")], capture_output=True, text=True, check=True
    )
    modules = {".".join(("writ", *Path(name).relative_to(ROOT).with_suffix("").parts)) for name in made.stdout.split()}
    assert modules == {job.place.partition(":")[0] for job in JOBS}


def test_what_is_no_job_is_not_run() -> None:
    with pytest.raises(TypeError):
        find_job("os:system")
