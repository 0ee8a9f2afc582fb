"""Runs one job, in the process that was forked for it."""

import os
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO, Any, Final, NoReturn

import msgspec

from ....bundles.progress import Progress
from ....bundles.system_errors import sentence_of
from ...settings.model_limits import model_limits
from ...store.errors import Refusal, StoreUnavailable
from ...store.leases.reaching import reached_by_job
from ...store.store import Store
from .job import Job, JobCall, most_memory
from .job_messages import JobRequest, Message, encoded, received
from .job_refusals import refused

NICENESS: Final = 10
"""The niceness of a job: it gives way to the workers."""


def run_body(job: Job[Any, Any], files: Sequence[int]) -> NoReturn:
    """Run `job` to its end, and end the process. `files` are the channel to the service and perhaps a document."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        channel = socket.socket(fileno=files[0])
        with os.fdopen(files[1], "rb") if len(files) > 1 else open(os.devnull, "rb") as document:
            _run(job, channel, document)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(0)


def _run(job: Job[Any, Any], channel: socket.socket, document: IO[bytes]) -> None:
    asked = msgspec.json.decode(received(channel), type=JobRequest)
    request = msgspec.json.decode(asked.body, type=job.request)
    Thread(target=_end_with_the_caller, args=(channel,), daemon=True).start()
    if not job.holds_lock(request):
        os.nice(NICENESS)
    _limit_memory()
    channel.sendall(encoded(_outcome(job, asked, request, document, _Stages(channel))))


def _outcome(job: Job[Any, Any], asked: JobRequest, request: Any, document: IO[bytes], progress: Progress) -> Message:
    try:
        limits = model_limits(os.environ)
        there = asked.database
        server = None if there is None else reached_by_job(there.url, there.lease_seconds, there.line)
        store = Store.open(Path(asked.directory), create=False, limits=limits, server=server)
        answer = job.body(JobCall(store, request, document, progress))
        return Message(answer=msgspec.Raw(msgspec.json.encode(answer)))
    except (Refusal, StoreUnavailable) as ex:
        return Message(refused=refused(ex))
    except MemoryError:
        return _unavailable(job, f"needs more than {most_memory() >> 20} MiB of memory")
    except OSError as ex:
        return _unavailable(job, "failed", f": {sentence_of(ex)}")
    except Exception as ex:
        traceback.print_exc()
        return _unavailable(job, "failed", f": {type(ex).__name__}")


def _unavailable(job: Job[Any, Any], problem: str, private: str = "") -> Message:
    error = StoreUnavailable(job.failure(problem + private), job.failure(problem))
    return Message(refused=refused(error))


class _Stages:
    """Tells the service when a stage begins. See `Progress`."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel, self._stage = channel, ""

    def __call__(self, stage: str, _done: int, _total: int) -> None:
        if stage != self._stage:
            self._stage = stage
            self._channel.sendall(encoded(Message(stage=stage)))


def _limit_memory() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = most_memory()
    resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _end_with_the_caller(channel: socket.socket) -> None:
    """End the process if the worker that waits for it closes the channel or ends. The store undoes what is open."""
    with suppress(OSError):  # a worker that is killed leaves unread messages, which resets the channel
        channel.recv(1)
    os._exit(0)
