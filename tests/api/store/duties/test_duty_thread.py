"""The duty of a process: what a process that was stopped does when it goes on."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from writ.api.store.duties.duty import Duty, NotHeld
from writ.api.store.duties.taking import duty_on

from tests.support.server import environment
from tests.support.waiting import wait_until

LEASE = 1.0

pytestmark = pytest.mark.timeout(method="thread")
"""The other method uses the signal of the timer, too."""

_PROGRAM = f"""
import sys
from pathlib import Path
from tests.support.waiting import wait_until
from writ.api.store.duties.taking import duty_on
duty = duty_on(sys.argv[1], "work", Path("."), {LEASE})
assert wait_until(duty.is_held)
with duty.guarding():
    print("begun", flush=True)
    sys.stdin.readline()
    print("done", flush=True)
duty.close()
"""


@contextmanager
def working(conninfo: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has the duty, in the middle of work that is guarded. It ends the work after a line."""
    program = [sys.executable, "-c", _PROGRAM, conninfo]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            yield process
        finally:
            process.kill()


def end(process: subprocess.Popen[str]) -> tuple[str, int]:
    """Let the process end its work. Returns what it printed, and its status."""
    printed, _ = process.communicate("\n", timeout=60)
    return printed, process.returncode


@pytest.fixture
def duty(conninfo: str, tmp_path: Path) -> Iterator[Duty]:
    """The duty for this process, which does not want it yet."""
    with closing(duty_on(conninfo, "work", tmp_path, LEASE)) as found:
        found.step_back(3_600.0)
        yield found


def test_work_may_take_longer_than_a_lease(conninfo: str, duty: Duty, db: psycopg.Connection) -> None:
    with working(conninfo) as process:
        duty.step_back(0.0)
        numbers = {db.execute("SELECT number FROM duties").fetchone()}
        assert wait_until(lambda: numbers.add(db.execute("SELECT number FROM duties").fetchone()) or len(numbers) > 12)
        assert not duty.is_held()
        assert end(process) == ("done\n", 0)
    assert wait_until(duty.is_held)
    with duty.guarding():
        assert duty.is_held()


def test_a_process_that_was_stopped_in_its_work_does_nothing_more(conninfo: str, duty: Duty) -> None:
    with working(conninfo) as process:
        duty.step_back(0.0)
        os.kill(process.pid, signal.SIGSTOP)
        with pytest.raises(NotHeld), duty.guarding():
            pass
        assert wait_until(duty.is_held)
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        os.kill(process.pid, signal.SIGCONT)
        assert end(process) == ("", -signal.SIGALRM)


def test_one_that_steps_back_lets_another_one_have_it(duty: Duty, conninfo: str, tmp_path: Path) -> None:
    duty.step_back(0.0)
    assert wait_until(duty.is_held)
    with closing(duty_on(conninfo, "work", tmp_path, LEASE)) as other:
        duty.step_back(600.0)
        assert wait_until(other.is_held)
        assert not duty.is_held()
        assert wait_until(lambda: duty.holder == other.holder)
