"""Kills a process at a step of its work."""

import os
import signal
from collections.abc import Callable
from typing import TypeAlias

TakeStep: TypeAlias = Callable[[], None]
"""Called before each step of a work."""


def killed_at(step: int, work: Callable[[TakeStep], None]) -> bool:
    """Returns whether a work came to its step of that number, counted from 0. A process does it, and is killed there.

    An error of the work fails the test.
    """
    child = os.fork()
    if not child:
        taken = 0

        def take_step() -> None:
            nonlocal taken
            taken += 1
            if taken > step:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            work(take_step)
        except BaseException:
            os._exit(2)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)
