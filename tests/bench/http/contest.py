"""The rows of the table, and the services that take turns at them."""

import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.bench.expected import Disagreement
from tests.bench.http.busy_load import BusyLoad, post, write_requests
from tests.bench.http.handshakes import Client, measure
from tests.bench.http.load import Effort, Figures
from tests.bench.http.processes import Memory, memory
from tests.bench.http.questions import BATCH, DECIDED, OPEN, SINGLE, Question
from tests.bench.http.service import Running, Service
from tests.support.certificates import Pair

SECURE = "secure"
"""The key of the requests over TLS, whose credential is another service's."""

MANY, VERY_MANY = 256, 4_096
OPEN_LOAD = 0.6
"""The share of a service's capacity that an open loop asks for."""


@dataclass(frozen=True, slots=True)
class Row:
    """A question, and the way to ask it. `resumes` is None unless each request connects anew.

    With a `load`, requests become due in an open loop, this share of those that the service answered in the closed one.
    """

    title: str
    kind: str = SINGLE
    connections: int = 16
    secure: bool = False
    resumes: bool | None = None
    load: float | None = None


EVALUATION, PACED = Row("evaluation"), Row(f"evaluation, at {OPEN_LOAD:.0%} of that", load=OPEN_LOAD)
CROWD, LARGE_CROWD = (Row(f"evaluation, {count:,} connections", connections=count) for count in (MANY, VERY_MANY))
A_BATCH = Row("batch of 20", BATCH)
OPEN_FILTER, DECIDED_FILTER = Row("filter", OPEN), Row("filter for a context", DECIDED)
OVER_TLS = Row("evaluation over TLS", secure=True)
FULL = Row("full handshake, evaluation", connections=1, secure=True, resumes=False)
RESUMED = Row("resumed handshake, evaluation", connections=1, secure=True, resumes=True)

ROWS = (EVALUATION, PACED, CROWD, LARGE_CROWD, A_BATCH, OPEN_FILTER, DECIDED_FILTER, OVER_TLS, FULL, RESUMED)


@dataclass(slots=True)
class Entrant:
    """One service, served plainly and over TLS."""

    service: Service
    plain: Running
    secure: Running
    requests: Mapping[str, Path]
    turns: dict[Row, list[Figures]] = field(default_factory=dict)
    memory: Memory | None = None
    """The memory of the plain service after all turns."""

    def figures(self, row: Row) -> Figures:
        """Returns the medians of a row's turns."""
        return Figures.middle(self.turns[row])


class Contest:
    """All services over one model. Leave it as a context manager to stop them."""

    def __init__(
        self, asked: Mapping[str, Sequence[Question]], load: BusyLoad, pair: Pair, trust: ssl.SSLContext
    ) -> None:
        self._asked, self._load, self._pair, self._trust = asked, load, pair, trust
        self._stack = ExitStack()
        self.entrants: list[Entrant] = []

    def __enter__(self) -> "Contest":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def enter(self, service: Service, folder: Path, cores: list[int]) -> None:
        """Starts a service twice, and compares all its answers with the oracle's. Raises Disagreement, NotStarted."""
        plain = self._stack.enter_context(service.start(folder, cores, None))
        secure = self._stack.enter_context(service.start(folder, cores, self._pair))
        for running, kinds in ((plain, self._asked), (secure, (SINGLE,))):
            for kind in kinds:
                compare(service, running, self._asked[kind])
        files = {
            kind: write_requests([post(service.call(one), plain.headers) for one in some], folder / f"{kind}.requests")
            for kind, some in self._asked.items()
        }
        files[SECURE] = write_requests(
            [post(service.call(one), secure.headers) for one in self._asked[SINGLE]], folder / "secure.requests"
        )
        self.entrants.append(Entrant(service, plain, secure, files))

    def turns(self, effort: Effort) -> Iterator[str]:
        """Has all services take their turns at all rows, and yields a word before each turn."""
        for number in range(effort.rounds):
            for row in ROWS:
                for entrant in self.entrants:
                    yield f"round {number + 1} of {effort.rounds}: {row.title}, {entrant.service.name}"
                    entrant.turns.setdefault(row, []).append(self._turn(row, entrant, effort.seconds))
        for entrant in self.entrants:
            entrant.memory = memory(entrant.plain.pid)

    def _turn(self, row: Row, entrant: Entrant, seconds: float) -> Figures:
        running = entrant.secure if row.secure else entrant.plain
        if row.resumes is not None:
            call = entrant.service.call(self._asked[row.kind][0])
            return measure(running, Client(running, call, self._trust, row.resumes), seconds)
        rate = 0.0 if row.load is None else row.load * entrant.turns[EVALUATION][-1].rate
        file = entrant.requests[SECURE if row.secure else row.kind]
        return self._load.run(running, file, row.connections, seconds, rate)


def compare(service: Service, running: Running, asked: Sequence[Question]) -> None:
    """Compares all answers of a service with the oracle's. Raises Disagreement."""
    with httpx.Client(base_url=running.url, headers=dict(running.headers), verify=False, timeout=60) as client:
        for question in asked:
            call = service.call(question)
            answer = client.post(call.path, json=call.body)
            if answer.status_code != httpx.codes.OK:
                raise Disagreement(f"{service.name} answers {answer.status_code} {answer.text} to {call.body}")
            if service.answers(question, answer.json()) != question.right:
                raise Disagreement(f"{service.name} answers {answer.text}, the oracle {question.right}, to {call.body}")
