"""Kills followers while they put a new state on the disk, and opens what they leave. A separate process: it forks.

Prints the number of kills. An assertion fails if a state is neither the old one nor the new one, or if a file of it is
damaged.
"""

import logging
import os
import shutil
import signal
import sys
import time as system
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.support.feed import History, revision_of
from tests.support.following import Direct, Time, down, follower, stepped

_CHANGES = ("fsync", "replace", "rename", "unlink", "link", "truncate", "ftruncate")
_OLD, _NEW = 2, 5


class Damaged(logging.Handler):
    """Notices every complaint about a state."""

    def emit(self, record: logging.LogRecord) -> None:
        raise AssertionError(record.getMessage())


def history(revision: int) -> History:
    made = History()
    made.generation = 1
    made.commit(revision - 1)
    return made


def prepared(folder: Path) -> None:
    """A state at the old revision."""
    one, time = follower(Direct(history(_OLD)), Time(), folder), Time()
    stepped(one, time, 3)
    assert revision_of(one.engine) == _OLD
    one.close()


def swap(folder: Path, whole: bool) -> None:
    """From the old revision to the new one, by an update or by a bundle."""
    newer, time = history(_NEW), Time()
    if whole:
        newer.compact()
    one = follower(Direct(newer), time, folder)
    if whole:
        one._ask_for_bundle(True)
    stepped(one, time, 3)
    assert revision_of(one.engine) == _NEW


def found(folder: Path) -> int | None:
    """The revision that a start finds without its source. It complains about nothing."""
    one = follower(Direct(history(_OLD), fault=down), Time(), folder)
    revision = revision_of(one.engine)
    one.close()
    return revision


def killed(act: Callable[[], None], after: float | None = None) -> bool:
    """Returns whether a child that acts was killed: by itself, or `after` so many seconds."""
    child = os.fork()
    if child == 0:
        try:
            act()
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    if after is not None:
        system.sleep(after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert status == 0 or os.WTERMSIG(status) == signal.SIGKILL, status
    return status != 0


def dies_before(number: int, act: Callable[[], None]) -> None:
    """Act, and die before the change of the disk with this number."""
    left = [number]

    def counted(change: Callable[..., Any]) -> Callable[..., Any]:
        def dying(*arguments: Any, **options: Any) -> Any:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return change(*arguments, **options)

        return dying

    for name in _CHANGES:
        setattr(os, name, counted(getattr(os, name)))
    act()


def main(folder: Path) -> int:
    """Returns the number of kills."""
    logging.getLogger("writ").addHandler(Damaged())
    old, work = folder / "old", folder / "work"
    prepared(old)
    kills, random = 0, Random(1)
    for whole in (False, True):
        number, is_killed = 0, True
        while is_killed:
            shutil.copytree(old, work)
            is_killed = killed(lambda n=number, w=whole: dies_before(n, lambda: swap(work, w)))  # type: ignore[misc]
            kills, number = kills + is_killed, number + 1
            check(work)
        for _ in range(4):
            shutil.copytree(old, work)
            kills += killed(lambda w=whole: swap(work, w), random.uniform(0.0, 0.04))  # type: ignore[misc]
            check(work)
    return kills


def check(work: Path) -> None:
    """The state is the old one or the new one, and the swap can be done on it."""
    assert found(work) in (_OLD, _NEW)
    swap(work, True)
    assert found(work) == _NEW
    shutil.rmtree(work)


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))
