"""What a second worker adds to the processor time of a request: both may use all cores, and share them with the client.

The processor time of a request does not depend on how many requests there are, so the client need not be faster.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.bench.http.busy_load import BusyLoad, post, write_requests
from tests.bench.http.load import Effort
from tests.bench.http.processes import processor_seconds
from tests.bench.http.questions import Question
from tests.bench.http.service import Running
from tests.bench.http.writ_service import Writ
from tests.bench.models import Document
from tests.support.processes import children

CONNECTIONS, WARM_UP_SECONDS = 64, 3


@dataclass(slots=True)
class Workers:
    """The processor time of a request by one worker and by two, in microseconds, and how evenly the two share."""

    one: list[float] = field(default_factory=list)
    two: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """The median over the rounds."""
        return median(two / one for one, two in zip(self.one, self.two, strict=True))

    @property
    def smaller_share(self) -> float:
        """The median share of the worker that does less."""
        return median(self.shares)

    def turns(
        self,
        document: Document,
        asked: Sequence[Question],
        load: BusyLoad,
        cores: list[int],
        folder: Path,
        effort: Effort,
    ) -> Iterator[str]:
        """Measures, and yields a word before each round."""
        services = [Writ(document, workers=count) for count in (1, 2)]
        calls = [services[0].call(question) for question in asked]
        with ExitStack() as stack:
            one, two = (stack.enter_context(service.start(folder, cores, None)) for service in services)
            files = [
                write_requests([post(call, running.headers) for call in calls], folder / f"{name}.requests")
                for name, running in (("one", one), ("two", two))
            ]
            for running, file in zip((one, two), files, strict=True):
                load.run(running, file, CONNECTIONS, WARM_UP_SECONDS)
            for number in range(effort.rounds):
                yield f"round {number + 1} of {effort.rounds}: one worker and two"
                self.one.append(load.run(one, files[0], CONNECTIONS, effort.seconds).processor)
                before = _seconds_of_workers(two)
                self.two.append(load.run(two, files[1], CONNECTIONS, effort.seconds).processor)
                spent = [after - then for after, then in zip(_seconds_of_workers(two), before, strict=True)]
                self.shares.append(min(spent) / sum(spent))


def _seconds_of_workers(running: Running) -> list[float]:
    return list(map(processor_seconds, children(running.pid)))
