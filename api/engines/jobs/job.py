"""The kinds of jobs: each has a typed request, a typed answer and limits."""

import os
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Generic, TypeVar

from ....bundles.progress import Progress
from ...store.store import Store

MOST_SECONDS: Final = 3_600.0
"""The longest that a job may take."""

TURN_SECONDS: Final = 20.0
"""The seconds that a question may take while another environment waits for its turn."""

MEMORY_SHARE: Final = 0.75
"""The part of the machine's or the container's memory that a job may take."""

_CONTAINER_MEMORY: Final = Path("/sys/fs/cgroup/memory.max")

_Request = TypeVar("_Request")
_Answer = TypeVar("_Answer")


def always(_: object) -> bool:
    """Returns true, for a job of which each request is a question."""
    return True


@dataclass(frozen=True, slots=True)
class JobCall(Generic[_Request]):
    """One run of a job. `document` is the file that came with the request, or an empty one."""

    store: Store
    request: _Request
    document: IO[bytes]
    progress: Progress


@dataclass(frozen=True, slots=True)
class Job(Generic[_Request, _Answer]):
    """A kind of job.

    `place` is the module and the name of the job itself, as `module:NAME`. The types `request` and `answer` can be
    encoded as JSON. `task` completes the sentence "the process that …", and `afterwards` tells the caller what to do
    if the process ended early. A job that `holds_lock`, the store's write lock, keeps normal priority: if it gave way,
    all other writes would wait with it. One that `is_question` ends after `TURN_SECONDS` if another
    environment waits.
    """

    place: str
    body: Callable[[JobCall[_Request]], _Answer]
    request: type[_Request]
    answer: type[_Answer]
    task: str
    afterwards: str = ""
    holds_lock: Callable[[_Request], bool] = lambda _: False
    seconds: float = MOST_SECONDS
    is_question: Callable[[_Request], bool] = lambda _: False

    def failure(self, problem: str, *advice: str) -> str:
        """Returns one sentence for a process that ended without an answer."""
        told = " and ".join(filter(None, (self.afterwards, *advice)))
        return f"the process that {self.task} {problem}" + (f"; {told}" if told else "")


def find_job(place: str) -> Job[Any, Any]:
    """Returns the job at `place`, as `module:NAME`. Imports the module.

    Raises ImportError or AttributeError if there is none, and TypeError if it is no job.
    """
    found = pkgutil.resolve_name(place)
    if not isinstance(found, Job):
        raise TypeError(f"`{place}` is not a job")
    return found


def most_memory() -> int:
    """Returns the bytes that a job may take."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        container = int(_CONTAINER_MEMORY.read_text())
    except (OSError, ValueError):  # no container, or one without a limit, which says `max`
        container = machine
    return int(min(machine, container) * MEMORY_SHARE)
