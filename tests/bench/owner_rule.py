"""What the owner's rule costs, beside casbin, cedarpy and oso: `python -m tests.bench.owner_rule`.

The rule is that a document's owner edits it. A peer that is not installed is named and left out. Every answer of every
engine is checked before anything is timed; a wrong one ends the run with exit code 1. All rows take turns, and a ratio
is the median of the rounds' ratios.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Final

from writ.runtime import Engine

from tests.bench.models import Document
from tests.bench.owner_peers import PEERS, Peer
from tests.bench.requests import arguments
from tests.bench.rounds import Row, measure
from tests.support.bundling import bundle_file

USERS, REQUESTS = 10_000, 2_000
ROUNDS, SECONDS_A_TURN = 25, 0.02
OWNERS_EDIT: Final[Document] = {
    "extensions": ["references"],
    "resource_types": [{"id": "document", "actions": ["edit"]}],
    "policies": [
        {
            "id": "owners-edit",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["edit"]}],
            "conditions": {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]},
        }
    ],
}

EVERYBODY: Final[Document] = {
    "groups": [{"id": "everybody", "members": [{"type": "user", "id": f"u{n}"} for n in range(USERS)]}]
}
"""The users in a group of the model. Without it, the model knows no user, and a decision takes longer."""


def asked() -> list[Document]:
    """Requests of many users about documents; about half of them are the user's own."""
    random = Random("owners")
    users = [(f"u{random.randrange(USERS)}", f"u{random.randrange(USERS)}") for _ in range(REQUESTS)]
    return [
        {
            "subject": {"type": "user", "id": user, "properties": {}},
            "action": {"name": "edit"},
            "resource": {"type": "document", "id": f"d{n}", "properties": {"owner": random.choice((user, other))}},
            "context": {},
        }
        for n, (user, other) in enumerate(users)
    ]


def installed() -> Iterator[Peer]:
    """Yields the peers, and prints which of them can't take part."""
    for make in PEERS:
        try:
            yield make()
        except ImportError as ex:
            print(f"{make.__name__} is left out, since it is not installed: {ex}")


def rows(title: str, engines: dict[str, Engine], peers: Sequence[Peer], requests: Sequence[Document]) -> Iterator[Row]:
    """Yields two of Writ's rows for each engine, then two for each peer."""
    flat = list(map(arguments, requests))
    for name, engine in engines.items():
        yield Row(1, title, f"writ decide{name}", partial(decides, engine), requests)
        yield Row(1, title, f"writ allowed{name}", engine.allowed, flat, flat=True)
    for peer in peers:
        yield Row(1, title, peer.name, peer.from_request, requests)
        yield Row(1, title, f"{peer.name}, prepared", peer.decide, list(map(peer.prepare, requests)), flat=True)


def decides(engine: Engine, request: Document) -> bool:
    """Whether a decision allows the request."""
    return bool(engine.decide(request)["decision"])


def check(found: Sequence[Row], requests: Sequence[Document]) -> None:
    """Raises ValueError if a row gives a wrong answer."""
    expected = [one["subject"]["id"] == one["resource"]["properties"]["owner"] for one in requests]
    for row in found:
        if list(row.answers()) != expected:
            raise ValueError(f"{row.engine} does not say who owns a document")


def ratio(row: Row, beside: Row) -> float:
    """Returns how many times as long a row takes as another one."""
    return median(mine / other for mine, other in zip(row.times, beside.times, strict=True))


def main(given: Sequence[str] | None = None) -> int:
    """Measure and print; exit code 1 if an engine answers wrongly."""
    argparse.ArgumentParser(prog="python -m tests.bench.owner_rule", description=__doc__).parse_args(given)
    requests, peers = asked(), list(installed())
    own = next(one for one in requests if one["subject"]["id"] == one["resource"]["properties"]["owner"])
    with tempfile.TemporaryDirectory() as folder:
        engines = {
            name: Engine.open(bundle_file(OWNERS_EDIT | more, Path(folder) / f"owners{number}.bundle"))
            for number, (name, more) in enumerate({"": EVERYBODY, ", unknown users": {}}.items())
        }
        tables = [
            list(rows(title, engines, peers, items))
            for title, items in (("one request", [own]), (f"{REQUESTS:,} requests", requests))
        ]
        try:
            for found, items in zip(tables, ([own], requests), strict=True):
                check(found, items)
        except ValueError as ex:
            print(ex, file=sys.stderr)
            return 1
        measure([row for found in tables for row in found], ROUNDS, SECONDS_A_TURN)
    for found in tables:
        print(f"\n{found[0].asked:32} {'µs':>9} {'/decide':>9} {'/allowed':>9}")
        for row in found:
            print(f"{row.engine:32} {row.microseconds:9.2f} {ratio(row, found[0]):9.1f} {ratio(row, found[1]):9.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
