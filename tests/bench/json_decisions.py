"""Compares a decision from JSON to JSON with its parts: `python -m tests.bench.json_decisions [--rounds N]`.

The same requests are answered in turns: by `decide` alone, by `decide_json`, and by `decide` between the decoder and
the encoder of msgspec and of the standard library. The figures are medians of rounds.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import msgspec
from writ import Engine

from tests.bench.expected import Expected
from tests.bench.models import company
from tests.bench.requests import hot
from tests.support.bundling import bundle_file

POLICIES = 100
DECISIONS = 5_000
"""The decisions of a turn."""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model, now = company(POLICIES), time.time()
        engine = Engine.open(bundle_file(model, Path(folder) / "model.bundle"))
        request = hot(Expected(model, now))
        body = json.dumps(request).encode()
        ways: dict[str, Callable[[], object]] = {
            "decide": lambda: engine.decide(request),
            "decide_json": lambda: engine.decide_json(body),
            "msgspec": lambda: msgspec.json.encode(engine.decide(msgspec.json.decode(body))),
            "json": lambda: json.dumps(engine.decide(json.loads(body))).encode(),
        }
        answers = [json.loads(ways[name]()) for name in ("decide_json", "msgspec", "json")]
        assert all(answer == engine.decide(request) for answer in answers)
        show({name: median(found) for name, found in in_turns(ways, options.rounds).items()})


def in_turns(ways: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """The microseconds of processor time of a decision by each way, for each round."""
    found: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, answer in ways.items():
            began = time.process_time_ns()
            for _ in range(DECISIONS):
                answer()
            if number:  # the first turn fills caches
                found[name].append((time.process_time_ns() - began) / DECISIONS / 1e3)
    return found


def show(found: dict[str, float]) -> None:
    """Print a line for each way."""
    for name, one in found.items():
        print(f"{name:12} {one:6.2f} µs ({one / found['decide_json']:5.2f})")


if __name__ == "__main__":
    main()
