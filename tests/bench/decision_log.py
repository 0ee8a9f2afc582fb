"""What the decision log adds to an evaluation over HTTP: `python -m tests.bench.decision_log`.

Three services with one worker each answer the same requests, in turns: without a decision log, with one in a file, and
with one in a file whose masks change each record. They share a core, and the load never sleeps, on another one. The
figures are the processor time of the services, with that of the threads that write. At the end, the records that were
written are counted: a log that leaves some out must not look cheap.
"""

import json
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

from tests.bench.http.busy_load import BusyLoad, post, write_requests
from tests.bench.http.load import Figures
from tests.bench.http.questions import SINGLE, questions
from tests.bench.http.writ_service import Writ
from tests.bench.models import company

POLICIES, QUESTIONS, CONNECTIONS = 100, 500, 16
ROUNDS, SECONDS = 9, 1.0
SETTLE_SECONDS: Final = 0.5
"""The time in which the last records of a turn are written."""

MASKS: Final = json.dumps({"default": [{"path": "$.context.channel", "do": "hash"}]})
KINDS: Final[Mapping[str, Mapping[str, str]]] = {
    "without": {},
    "file": {"WRIT_DECISION_LOG": "log"},
    "file, masked": {"WRIT_DECISION_LOG": "log", "WRIT_DECISION_LOG_MASKS": MASKS},
}


def main() -> None:
    """Print the figures."""
    document = company(POLICIES)
    asked = questions(document, time.time(), QUESTIONS, 1)[SINGLE]
    turns: dict[str, list[Figures]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        places = {kind: Path(folder) / str(number) for number, kind in enumerate(KINDS)}
        with ExitStack() as stack:
            load, runs = BusyLoad.made(Path(folder), 1), {}
            for kind, settings in KINDS.items():
                places[kind].mkdir()
                service = Writ(document, settings=dict(settings))
                running = stack.enter_context(service.start(places[kind], [0], None))
                calls = [post(service.call(question), running.headers) for question in asked]
                runs[kind] = running, write_requests(calls, places[kind] / "requests")
            for _ in range(ROUNDS):
                for kind, (running, requests) in runs.items():
                    turns[kind].append(load.run(running, requests, CONNECTIONS, SECONDS))
                    time.sleep(SETTLE_SECONDS)
        for kind, found in turns.items():
            print(_line(kind, found, turns["without"]), _written(places[kind] / "log"))


def _line(kind: str, found: list[Figures], beside: list[Figures]) -> str:
    times = [one.processor for one in found]
    ratio = median(one.processor / other.processor for one, other in zip(found, beside, strict=True))
    middles = f"{min(times):6.1f} us of processor time at least, {median(times):6.1f} in the median"
    return f"{kind:14} {middles}, {ratio:.3f} times without; {sum(one.answered for one in found):,.0f} answers"


def _written(log: Path) -> str:
    """Returns how many records were written."""
    if not log.exists():
        return ""
    lines = log.read_bytes().count(b"\n")
    return f", {lines:,} records"


if __name__ == "__main__":
    main()
