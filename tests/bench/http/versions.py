"""Two versions of Writ side by side over HTTP: `python -m tests.bench.http.versions PYTHON`.

PYTHON is an interpreter that has the other version installed, such as `.venv/bin/python` of another worktree. Both
serve one model with one worker, on one core, and take turns. The load comes from another core and never sleeps. The
figures are the processor time of a request, and how many times as long the other version takes.
"""

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from tests.bench.http.busy_load import BusyLoad, post, write_requests
from tests.bench.http.contest import compare
from tests.bench.http.load import Figures
from tests.bench.http.questions import BATCH, BATCH_ITEMS, DECIDED, OPEN, POLICIES, SINGLE, Question, questions
from tests.bench.http.service import Call
from tests.bench.http.writ_service import Writ
from tests.bench.models import company

CONNECTIONS = 16
LONG_BYTES = 11_000
TITLES = {
    SINGLE: "evaluation",
    BATCH: f"batch of {BATCH_ITEMS}",
    OPEN: "filter",
    DECIDED: "filter for a context",
    "long": f"evaluation of {LONG_BYTES // 1_000} KB",
}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", help="the interpreter of the other version")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--log", action="store_true", help="with the decision log")
    options = parser.parse_args()
    document, settings = company(POLICIES), {"WRIT_DECISION_LOG": "log"} if options.log else {}
    asked = questions(document, time.time())
    services = [Writ(document, settings=settings), Writ(document, settings=settings, python=options.python)]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        load, found = BusyLoad.made(Path(folder), 1), dict[tuple[str, int], list[Figures]]()
        places = [Path(folder) / str(number) for number, _ in enumerate(services)]
        for place in places:
            place.mkdir()
        running = [
            stack.enter_context(service.start(place, [0], None))
            for service, place in zip(services, places, strict=True)
        ]
        for service, one in zip(services, running, strict=True):
            for some in asked.values():
                compare(service, one, some)
        files = [
            {
                kind: write_requests([post(call, one.headers) for call in some], place / f"{kind}.requests")
                for kind, some in calls(services[0], asked).items()
            }
            for one, place in zip(running, places, strict=True)
        ]
        for _ in range(options.rounds):
            for kind in TITLES:
                for number, one in enumerate(running):
                    figures = load.run(one, files[number][kind], CONNECTIONS, options.seconds)
                    found.setdefault((kind, number), []).append(figures)
    for kind, title in TITLES.items():
        own, other = found[kind, 0], found[kind, 1]
        ratio = median(two.processor / one.processor for one, two in zip(own, other, strict=True))
        middle = Figures.middle(own)
        print(f"{title:22}{middle.processor:8.1f} µs {middle.rate:9,.0f}/s   other {ratio:5.2f} times as long")


def calls(service: Writ, asked: Mapping[str, Sequence[Question]]) -> dict[str, list[Call]]:
    """Returns the calls of every kind. Long ones are evaluations whose contexts have many members."""
    found = {kind: [service.call(one) for one in some] for kind, some in asked.items()}
    found["long"] = [Call(call.path, call.body | {"context": _long(call.body)}) for call in found[SINGLE][:200]]
    return found


def _long(body: dict[str, object]) -> dict[str, object]:
    context = body.get("context")
    assert isinstance(context, dict)
    return context | {f"member{number}": "x" * 40 for number in range(LONG_BYTES // 55)}


if __name__ == "__main__":
    main()
