"""What a filter costs, first and remembered, beside cedarpy's partial evaluation: `python -m tests.bench.filters`.

Every filter is compared with the oracle on the resource of the request that it was made from before anything is timed.
cedarpy is asked with everything known but the resource; its answer is a list of residual policies, neither joined nor
simplified, so it does less.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from cedarpy import is_authorized_partial
from writ.runtime import Engine

from tests.bench import requests
from tests.bench.expected import Disagreement, Expected
from tests.bench.models import Document, company
from tests.bench.peers_cedar import Cedar
from tests.support.bundling import bundle_file
from tests.support.oracle_entities import question
from tests.support.oracle_searches import admits, tree_holds

SIZES = (100, 1_000, 10_000)
SEARCHES = 300
CEDAR_SEARCHES = 20
ROUNDS = 5


def search_of(request: Document) -> Document:
    """The resource search of an evaluation's subject and action."""
    return {**request, "resource": {"type": request["resource"]["type"]}}


def microseconds(call: Callable[[Any], Any], items: Sequence[Any]) -> list[float]:
    """The processor's time for each item."""
    found = []
    for item in items:
        start = time.process_time_ns()
        call(item)
        found.append((time.process_time_ns() - start) / 1e3)
    return found


def size(tree: Document) -> int:
    """The comparisons of a tree."""
    return sum(map(size, tree["conditions"])) if tree["type"] == "logical" else tree["type"] == "field"


class Contest:
    """One company's model, with Writ and cedarpy over it."""

    def __init__(self, policies: int, folder: Path, now: float):
        self._document, self._now = company(policies), now
        self._expected = Expected(self._document, now)
        self._file = bundle_file(self._document, folder / f"{policies}.bundle")
        self._cedar = Cedar(self._document, self._expected.roles)
        self._requests = requests.distinct(self._document, self._expected, SEARCHES)
        self._searches = list(map(search_of, self._requests))

    def check(self, engine: Engine) -> list[int]:
        """The sizes of all filters. Raises Disagreement."""
        sizes = []
        for request, search in zip(self._requests, self._searches, strict=True):
            tree = engine.filter(search, self._now)["filter"]
            asked = question(self._expected.cut(request), request, self._now)
            if tree_holds(tree, *asked.resource[1:]) != admits(self._expected.cut(request), asked):
                raise Disagreement(f"the filter {tree} and the oracle disagree on {request}")
            sizes.append(size(tree))
        return sizes

    def rows(self) -> Iterator[tuple[str, float]]:
        """Who, and the median time of a filter in microseconds."""
        engine = Engine.open(self._file)
        for search in self._searches:
            engine.filter(search)
        remembered, first, sliced, whole = [], [], [], []
        some = self._requests[:CEDAR_SEARCHES]
        for _ in range(ROUNDS):
            remembered += microseconds(engine.filter, self._searches)
            for search in self._searches[:: ROUNDS * 2]:
                first += microseconds(Engine.open(self._file).filter, [search])
            sliced += microseconds(lambda asked: self._partial(asked, self._cedar._set(asked)), some)
            whole += microseconds(lambda asked: self._partial(asked, self._cedar._whole), some[:4])
        yield "writ, remembered", median(remembered)
        yield "writ, first", median(first)
        yield "cedarpy, sliced by type and action", median(sliced)
        yield "cedarpy, all policies", median(whole)

    def _partial(self, request: Document, policies: Any) -> Any:
        subject = request["subject"]
        entities = [entity for entity in self._cedar._entity_list(request) if entity["uid"]["id"] == subject["id"]]
        asked = {
            "principal": f"{subject['type']}::{json.dumps(subject['id'])}",
            "action": f"Action::{json.dumps(request['action']['name'])}",
            "context": request["context"],
        }
        return is_authorized_partial(asked, policies, entities)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit code 1 where a filter disagrees with the oracle."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.filters", description=__doc__)
    parser.add_argument("--policies", type=int, nargs="*", default=SIZES, help="sizes of the model")
    sizes = parser.parse_args(arguments).policies
    with tempfile.TemporaryDirectory() as folder:
        for policies in sizes:
            contest = Contest(policies, Path(folder), time.time())
            try:
                found = contest.check(Engine.open(contest._file))
            except Disagreement as ex:
                print(ex, file=sys.stderr)
                return 1
            spread = [round(part) for part in quantiles(found, n=20)]
            print(f"\n{policies:,} policies; comparisons: median {spread[9]}, 95 % {spread[18]}, most {max(found)}")
            rows = list(contest.rows())
            (_, remembered), (_, first), *_ = rows
            for who, cost in rows:
                times = f"{cost / remembered:10,.1f} x remembered {cost / first:8,.2f} x first"
                print(f"  {who:36} {cost:12,.1f} µs {times}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
