"""Runs jobs for the event loop of one worker."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, TypeAlias, TypeVar

import msgspec

from ....bundles.system_errors import sentence_of
from ...http.caller import CALLER
from ...store.database.connections import Primary
from ...store.errors import StoreUnavailable
from ..work.fair_turns import FairTurns
from .job import TURN_SECONDS, Job
from .job_messages import Ended, JobDatabase, JobRequest, Message, encoded, received_async
from .job_refusals import raised
from .starting import TEMPLATE, Template

AT_ONCE: Final = 2
"""Jobs of one kind that a worker runs at a time, each of another environment. Each may need much memory."""

LOOK_SECONDS: Final = 1.0
"""The seconds between two looks whether another environment waits, once a job had its turn."""

_ASK_LATER: Final = "ask again later"
_CHECK_MEMORY: Final = "check whether the machine has enough memory"

_Request = TypeVar("_Request")
_Answer = TypeVar("_Answer")


Database: TypeAlias = Callable[[], JobDatabase | None]
"""Returns the database that a job must use now, or None if the store is in the data directory."""


def no_database() -> None:
    """Returns None: the store is in the data directory."""


class Jobs:
    """The jobs of one worker."""

    def __init__(self, directory: Path, template: Template = TEMPLATE, database: Database = no_database) -> None:
        """`directory` is the data directory. `database` is asked when a job starts."""
        self._directory, self._template, self._database = directory, template, database
        self._turns: dict[str, FairTurns] = {}

    async def run(
        self,
        job: Job[_Request, _Answer],
        request: _Request,
        document: IO[bytes] | None = None,
        confirm: Callable[[], None] = lambda: None,
    ) -> _Answer:
        """Returns the answer of `job`. If this task is cancelled, the process of the job ends.

        Jobs of one kind have turns, and an environment has one at a time. `confirm` is called when this one has its
        turn, and may raise.

        Raises:
            Refusal, StoreUnavailable: as the job raised it. StoreUnavailable too if the job takes too much time or
                memory, or if its process is killed.
        """
        return (await self.run_stored(job, request, document, confirm))[0]

    async def run_stored(
        self,
        job: Job[_Request, _Answer],
        request: _Request,
        document: IO[bytes] | None = None,
        confirm: Callable[[], None] = lambda: None,
        begins: Callable[[], None] = lambda: None,
    ) -> tuple[_Answer, Primary | None]:
        """Returns the answer of a `job` that writes, and the primary that has what it wrote. Raises what `run` raises.

        That is the primary of the server's lease at its start, and the job writes nowhere else. `begins` is called
        before the job starts, unless it is a question.
        """
        turns, who = self._turns.setdefault(job.place, FairTurns(AT_ONCE)), CALLER.get()
        await turns.take(who)
        try:
            confirm()
            is_question = job.is_question(request)
            if not is_question:
                begins()
            database = self._database()
            asked = JobRequest(str(self._directory), msgspec.Raw(msgspec.json.encode(request)), database)
            turn = _Turn(partial(turns.others_wait, who) if is_question else None)
            return await self._within_its_time(job, asked, document, turn), database and database.line
        finally:
            turns.give_back(who)

    async def _within_its_time(
        self, job: Job[_Request, _Answer], asked: JobRequest, document: IO[bytes] | None, turn: "_Turn"
    ) -> _Answer:
        stages = [""]
        try:
            async with asyncio.timeout(job.seconds) as limit:
                with turn.watched(limit):
                    outcome = await self._outcome(job, asked, document, stages)
        except TimeoutError:
            if turn.is_over:
                problem = f"had its turn of {TURN_SECONDS:g} seconds{_at(stages[-1])}, and others wait"
                raise StoreUnavailable(job.failure(problem, _ASK_LATER)) from None
            problem = f"took longer than {job.seconds:g} seconds{_at(stages[-1])}"
            raise StoreUnavailable(job.failure(problem)) from None
        except (Ended, BrokenPipeError, ConnectionResetError):
            raise StoreUnavailable(job.failure(f"ended early{_at(stages[-1])}", _CHECK_MEMORY)) from None
        except OSError as ex:
            raise StoreUnavailable(
                job.failure(f"can't be started: {sentence_of(ex)}"), job.failure("can't be started")
            ) from ex
        if outcome.refused is not None:
            raise raised(outcome.refused)
        return msgspec.json.decode(outcome.answer, type=job.answer)

    async def _outcome(
        self, job: Job[Any, Any], asked: JobRequest, document: IO[bytes] | None, stages: list[str]
    ) -> Message:
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                files = [theirs.fileno()] if document is None else [theirs.fileno(), document.fileno()]
                self._template.send(job, files)
            ours.setblocking(False)
            await asyncio.get_running_loop().sock_sendall(ours, encoded(asked))
            while True:
                message = msgspec.json.decode(await received_async(ours), type=Message)
                if not message.stage:
                    return message
                stages.append(message.stage)


class _Turn:
    """Ends work by its time limit, if it had its turn and others wait."""

    def __init__(self, others_wait: Callable[[], bool] | None) -> None:
        """`others_wait` is None for work that is never ended for others."""
        self._others_wait = others_wait
        self.is_over = False

    @contextmanager
    def watched(self, limit: asyncio.Timeout) -> Iterator[None]:
        """Look at the work in the block."""
        watching = None if self._others_wait is None else asyncio.ensure_future(self._watch(self._others_wait, limit))
        try:
            yield
        finally:
            if watching is not None:
                watching.cancel()

    async def _watch(self, others_wait: Callable[[], bool], limit: asyncio.Timeout) -> None:
        await asyncio.sleep(TURN_SECONDS)
        while not others_wait():
            await asyncio.sleep(LOOK_SECONDS)
        self.is_over = True
        limit.reschedule(asyncio.get_running_loop().time())


def _at(stage: str) -> str:
    return f" while it was at `{stage}`" if stage else ""
