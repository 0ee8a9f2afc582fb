"""Jobs for the tests of the runner. A template process imports them if its `PYTHONPATH` has the root of the tests."""

import os
import signal
import stat
import threading
from typing import Any, Final

import msgspec
from writ.api.engines.jobs.job import Job, JobCall, always
from writ.api.store.errors import BodyFault as StoreFault
from writ.api.store.errors import Conflict, NotFound, Rejected, StoreUnavailable, User

LEFT_BEHIND: list[str] = []
"""The traces that jobs of this process have left behind."""


class Asked(msgspec.Struct, frozen=True):
    """A word and a number."""

    word: str = ""
    number: float = 0


class Seen(msgspec.Struct, frozen=True):
    """The state that a job finds in its process."""

    word: str
    directory: str
    document: str
    process: int
    niceness: int
    threads: int
    left_behind: list[str]
    files: list[str]
    modules: list[str]


def _look(call: JobCall[Asked]) -> Seen:
    import sys

    LEFT_BEHIND.append(call.request.word)
    files = [os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if _is_open(name)]
    return Seen(
        call.request.word,
        str(call.store.path.parent),
        call.document.read().decode(),
        os.getpid(),
        os.getpriority(os.PRIO_PROCESS, 0),
        threading.active_count(),
        LEFT_BEHIND,
        sorted(files),
        [name for name in ("falcon", "gunicorn", "uvloop", "writ.api.server.worker") if name in sys.modules],
    )


def _is_open(name: str) -> bool:
    try:
        return stat.S_IFMT(os.fstat(int(name)).st_mode) != 0
    except OSError:  # the descriptor of the listing itself
        return False


def _stop(call: JobCall[Asked]) -> None:
    """Stop at a gate until somebody opens it for writing."""
    call.progress("stopping", 0, 1)
    folder = call.store.path.parent
    os.mkfifo(folder / "gate")
    (folder / "stopped").write_text(str(os.getpid()))
    (folder / "gate").read_bytes()
    (folder / "went on").touch()


def _gated(call: JobCall[Asked]) -> str:
    """Say the word. One that begins with `wait` stops at its gate before."""
    if call.request.word.startswith("wait"):
        folder = call.store.path.parent
        os.mkfifo(folder / f"gate of {call.request.word}")
        (folder / call.request.word).touch()
        (folder / f"gate of {call.request.word}").read_bytes()
    return call.request.word


def _fail(call: JobCall[Asked]) -> None:
    match call.request.word:
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "memory":
            bytearray(int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 0.9))
        case "disk":
            raise OSError("no space on /secret")
        case "bug":
            raise ValueError("of a bug")
    raise ERRORS[call.request.word]


ERRORS: Final[dict[str, Exception]] = {
    "unavailable": StoreUnavailable("a file is bad", "bad"),
    "missing": NotFound("there is none"),
    "conflict": Conflict("it is used", (User("roles", ("r",)),)),
    "rejected": Rejected((StoreFault("code", "$.a", "message", "help", 1, (2, 3)),)),
}


def _job(name: str, body: Any, answer: Any, **more: Any) -> Job[Asked, Any]:
    return Job(f"tests.support.jobs:{name}", body, Asked, answer, task="is tested", **more)


LOOK: Final = _job("LOOK", _look, Seen)
LOOK_LOCKED: Final = _job("LOOK_LOCKED", _look, Seen, holds_lock=lambda asked: asked.word == "write")
STOP: Final = _job("STOP", _stop, type(None))
GATED: Final = _job("GATED", _gated, str)
GATED_QUESTION: Final = _job("GATED_QUESTION", _gated, str, is_question=always)
STOP_SHORT: Final = _job("STOP_SHORT", _stop, type(None), seconds=0.5)
FAIL: Final = _job("FAIL", _fail, type(None), afterwards="look")
