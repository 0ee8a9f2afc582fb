"""What a rate limit costs: `python -m tests.bench.rates [--rounds N]`.

One policy allows each of 1,000 subjects to read, with and without a rate limit, side by side. A limit that is reached
answers 'no' and when to come back. The counters of a server are those of its workers together, so its size matters.
"""

import argparse
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from writ.runtime import Engine
from writ.runtime.rate_counters import DEFAULT_BYTES, RateCounters
from writ.runtime.rates.rate_table import RateTable, table_bytes

from tests.bench.rounds import Row
from tests.support.bundling import bundle_file

SUBJECTS = 1_000
BUDGET_SECONDS = 0.05
WORKERS = (2, 8, 32)
READ = [{"resource_type_id": "document", "actions": ["read"]}]
OPEN_CONDITION = {"context_attrs": [{"key": "mfa", "op": "eq", "value": True}]}


def model(limit: int | None) -> dict[str, Any]:
    """One ALLOW with a condition, and with a rate limit perhaps."""
    rate = {} if limit is None else {"rate_limit": {"limit": limit, "window_seconds": 3_600}}
    policy = {"id": "p", "effect": "ALLOW", "resource_types": READ, "conditions": OPEN_CONDITION | rate}
    subjects = [{"type": "user", "id": f"u{number}"} for number in range(SUBJECTS)]
    return {
        "resource_types": [{"id": "document", "actions": ["read"]}],
        "subjects": subjects,
        "policies": [policy],
    }


def of_workers(workers: int) -> RateTable:
    """Counters of a server in which every worker has counted something."""
    memory = bytearray(table_bytes(2 * workers, DEFAULT_BYTES))
    tables = [RateTable(memory, 2 * workers, b"salt", threading.Lock(), row) for row in range(workers)]
    return tables[-1]


def rows(folder: Path) -> list[Row]:
    """The rows of the table, all on the same requests."""
    requests = [
        {
            "subject": {"type": "user", "id": f"u{number}"},
            "action": {"name": "read"},
            "resource": {"type": "document", "id": "d1"},
            "context": {"mfa": True},
        }
        for number in range(SUBJECTS)
    ]
    paths = {limit: bundle_file(model(limit), folder / f"{limit}.bundle") for limit in (None, 1, 2**31 - 1)}

    def row(name: str, limit: int | None, counters: RateTable | None) -> Row:
        engine = Engine.open(paths[limit], counters=counters)
        return Row(1, "one decision", name, engine.decide, requests)

    most = 2**31 - 1
    return [
        row("no rate limit", None, None),
        row("a rate limit, no counters", most, None),
        row("counted, one process", most, RateCounters()),
        *(row(f"counted, {workers} workers", most, of_workers(workers)) for workers in WORKERS),
        row("limit reached, one process", 1, RateCounters()),
    ]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        found = rows(Path(folder))
        began = time.monotonic()
        for one in found:
            assert all(answer["context"]["reason_code"] for answer in one.answers())
            one.plan(BUDGET_SECONDS)
        for number in range(rounds):
            for one in found:
                one.turn(number)
        plain = found[0].microseconds
        for one in found:
            print(f"{one.engine:28} {one.microseconds:7.2f} µs  {one.microseconds - plain:+7.2f} µs")
        print(f"{rounds} rounds in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
