"""What writes and imports cost the store: `python -m tests.bench.store [--grants N] [--seconds S]`.

Writes are single grants or policies. Each is a transaction of its own, with checks, change log and delta. The import is
one document of as many grants, read, checked and stored as one revision. Then follows what it takes to read it back.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from writ.api.store.actor import Actor
from writ.api.store.elements.edits import Create
from writ.api.store.store import Store
from writ.compiler.source import Source

ENVIRONMENT, ACTOR = "default", Actor("bench")
DECLARED = {
    "resource_types": [{"id": "document", "actions": ["read", "update", "delete"]}],
    "roles": [{"id": "editor"}],
}
POINT_READS = 10_000


def grant(number: int) -> dict[str, Any]:
    """The grant of that number: ten to a subject, each on a resource of its own."""
    return {
        "subject": {"type": "user", "id": f"user-{number // 10}"},
        "resource": {"type": "document", "id": f"document-{number * 7_919 % 100_000_007}"},
        "actions": ["read"] if number % 3 else ["read", "update"],
    }


def policy(number: int) -> dict[str, Any]:
    """The policy of that number: a role's, under a condition and at some hours."""
    return {
        "id": f"policy-{number}",
        "effect": "ALLOW",
        "roles": ["editor"],
        "resource_types": [{"resource_type_id": "document", "actions": ["read", "update"]}],
        "conditions": {
            "resource_attrs": [{"key": "status", "op": "eq", "value": f"status-{number % 50}"}],
            "time_window": {"days": ["mon", "tue"], "start": "09:00", "end": "17:00", "timezone": "Europe/Oslo"},
        },
    }


MADE = {"grants": grant, "policies": policy}


def document(grants: int) -> bytes:
    """A model document with so many grants."""
    head = json.dumps({"model": 1} | DECLARED)[:-1]
    return f'{head}, "grants": [{", ".join(_rows(grants))}]}}'.encode()


def _rows(grants: int) -> Iterator[str]:
    return (json.dumps(grant(number)) for number in range(grants))


def writes(directory: Path, kind: str, synchronous: str, seconds: float) -> float:
    """Single writes a second."""
    store = Store.open(directory, synchronous)
    store.put_model(ENVIRONMENT, ACTOR, [Source("model.json", document(0))])
    number, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        store.write(ENVIRONMENT, ACTOR, [Create(kind, MADE[kind](number))])
        number += 1
    store.close()
    return number / seconds


def timed(what: str, start: float) -> None:
    """Print how long something took."""
    print(f"{what:44} {time.perf_counter() - start:8.2f} s")


def imported(directory: Path, grants: int) -> None:
    """Import and read back, and print what each took."""
    store = Store.open(directory)
    source = Source("model.json", document(grants))
    start = time.perf_counter()
    store.put_model(ENVIRONMENT, ACTOR, [source])
    timed(f"import of {grants:,} grants", start)
    start = time.perf_counter()
    size = sum(map(len, store.model(ENVIRONMENT)))
    timed(f"export of {size / 2**20:.0f} MiB", start)
    start = time.perf_counter()
    store.read_model(ENVIRONMENT)
    timed("read as the compiler's model", start)
    start = time.perf_counter()
    store.put_model(ENVIRONMENT, ACTOR, [source])
    timed("import of the same again", start)
    ids = [item.body["id"] for item in store.list(ENVIRONMENT, "grants", limit=1_000).items]
    start = time.perf_counter()
    for number in range(POINT_READS):
        store.get(ENVIRONMENT, "grants", (ids[number % len(ids)],))
    print(f"{'point read':44} {(time.perf_counter() - start) / POINT_READS * 1e6:8.1f} µs")
    start = time.perf_counter()
    for number in range(1_000):
        store.write(ENVIRONMENT, ACTOR, [Create("grants", grant(grants + number))])
    print(f"{'single writes into it':44} {1_000 / (time.perf_counter() - start):8.0f} /s")
    print(f"{'database':44} {store.path.stat().st_size / 2**20:8.0f} MiB")
    store.close()


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grants", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for kind, synchronous in product(MADE, ("FULL", "NORMAL")):
            rate = writes(Path(folder) / kind / synchronous, kind, synchronous, options.seconds)
            print(f"{f'single writes of {kind}, synchronous={synchronous}':44} {rate:8.0f} /s")
        imported(Path(folder) / "import", options.grants)


if __name__ == "__main__":
    main()
