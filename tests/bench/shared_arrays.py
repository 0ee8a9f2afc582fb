"""Measures a batch whose items share one long array that policies refer to: `python -m tests.bench.shared_arrays`.

It prints the processor time of the worst batch by operator, with the keys of arrays kept for the request and without.
All answers of both are compared first.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

from writ.api.endpoints.decisions.batch import BatchAnswers, read_batch
from writ.runtime import Engine
from writ.runtime.rules.array_elements import KeptKeys

from tests.support.bundling import bundle_file

ITEMS, SHARED, TEAMS = 40, 70, 9_990
"""The items of the batch, the elements of each item's array, and those of the array that all items share."""

OPERATORS = {"has_any": "shared_with", "has_none": "shared_with", "in": "owner", "eq": "labels"}
"""The attribute that each operator compares with the shared array."""

POLICIES = (1, 8)
NO_BYTES = 1 << 20


def model(op: str, policies: int) -> dict[str, Any]:
    """Policies that all refer to `context.teams`, and differ in another condition."""
    return {
        "extensions": ["references", "arrays"],
        "resource_types": [{"id": "document", "actions": ["read"]}],
        "policies": [policy(op, number) for number in range(policies)],
    }


def policy(op: str, number: int) -> dict[str, Any]:
    """A DENY that is tested for each item."""
    refers = {"key": OPERATORS[op], "op": op, "value_of": "context.teams"}
    return {
        "id": f"p{number}",
        "effect": "DENY",
        "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        "conditions": {"resource_attrs": [refers], "context_attrs": [{"key": "beside", "op": "ne", "value": number}]},
    }


def batch() -> dict[str, Any]:
    """The worst batch: the elements are objects, and none is shared."""
    shared = [[{"id": f"r{item}.{n}"} for n in range(SHARED)] for item in range(ITEMS)]
    teams = [{"id": f"t{n}"} for n in range(TEAMS)]
    return {
        "subject": {"type": "user", "id": "u"},
        "action": {"name": "read"},
        "resource": {"type": "document", "id": "d", "properties": {"owner": {"id": "u"}, "labels": list(teams)}},
        "context": {"teams": teams, "beside": -1},
        "evaluations": [
            {"resource": {"type": "document", "id": str(item), "properties": {"shared_with": one}}}
            for item, one in enumerate(shared)
        ],
    }


def asked(op: str) -> dict[str, Any]:
    """The batch about the attribute of an operator: without one of its items, all have the default resource."""
    found = batch()
    if OPERATORS[op] != "shared_with":
        found["evaluations"] = [{"action": {"name": "read"}} for _ in range(ITEMS)]
    return found


def answers(engine: Engine, body: dict[str, Any]) -> list[Any]:
    """Returns the answers of the service to a batch."""
    read = read_batch(body, ITEMS)
    assert read is not None
    return list(BatchAnswers(read, partial(engine.decide_item, now=0.0), NO_BYTES))


def kept(engine: Engine, body: dict[str, Any]) -> list[Any]:
    """Returns the same answers, with the keys of arrays kept."""
    with KeptKeys().in_use():
        return answers(engine, body)


def seconds(work: Callable[[], object]) -> float:
    """Returns the processor time of some work."""
    start = process_time()
    work()
    return process_time() - start


def main(arguments: Sequence[str]) -> None:
    """Print a line for each operator and number of policies."""
    argparse.ArgumentParser(description=__doc__).parse_args(arguments)
    print(f"{'operator':10} {'policies':>8} {'without':>10} {'kept':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for op in OPERATORS:
            for policies in POLICIES:
                engine = Engine.open(bundle_file(model(op, policies), Path(folder) / f"{op}{policies}"))
                body = asked(op)
                assert answers(engine, body) == kept(engine, body)
                without, with_kept = (seconds(partial(way, engine, body)) for way in (answers, kept))
                print(f"{op:10} {policies:8} {without:8.3f} s {with_kept:8.3f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
