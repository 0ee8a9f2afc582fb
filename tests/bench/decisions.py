"""What a decision costs, beside cedarpy, vakt and casbin: `python -m tests.bench.decisions`.

Every answer of every engine is compared with the oracle's before anything is timed; a disagreement ends the run.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from writ import Decision
from writ.runtime import Engine
from writ.runtime.rules.plan import WRITTEN_AFTER

from tests.bench import peers_casbin, peers_cedar, peers_vakt, requests
from tests.bench.expected import Disagreement, Expected
from tests.bench.models import OWNING_GRANTS, Document, company, crowded
from tests.bench.requests import FIRST_TYPES, arguments
from tests.bench.rounds import Row, measure
from tests.bench.table import ON_FIRST_TYPES, show
from tests.support.bundling import bundle_file

SMALLEST = 100
CUTS_CHECKED = 20
CASBIN_CROWD = 1_000
"""casbin takes part in the worst case up to so many policies; with 10,000, one answer takes nearly half a second."""

Parts: TypeAlias = Callable[[Document], tuple[Any, ...]]
"""Makes the arguments of a call from a request. It is not timed."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is asked and how long it is timed."""

    policies: tuple[int, ...]
    distinct: int
    crowd: int
    rounds: int
    seconds_a_turn: float


FULL = Effort((100, 1_000, 10_000), distinct=2_000, crowd=20, rounds=25, seconds_a_turn=0.02)
QUICK = Effort((100, 1_000), distinct=400, crowd=8, rounds=5, seconds_a_turn=0.01)


class Contest:
    """One model with all engines over it."""

    def __init__(self, document: Document, bundle: Path, now: float):
        self.policies = len(document["policies"])
        self.document, self.expected = document, Expected(document, now)
        self.engine = Engine.open(bundle_file(document, bundle))
        self.cedar = peers_cedar.Cedar(document, self.expected.roles)
        self.vakt = peers_vakt.Vakt(document, self.expected.roles)
        self.casbin = peers_casbin.Casbin(document, self.expected.roles)

    def warm(self, items: Sequence[Document]) -> None:
        """Ask Writ until it has written the functions of all plans, as the others have read their policies before."""
        for item in items:
            for _ in range(WRITTEN_AFTER):
                self.engine.decide(item)

    def writ(self, asked: str, items: Sequence[Document]) -> Iterator[Row]:
        yield self._row(asked, "writ decide", self.engine.decide, items)
        for engine, call in (("writ ask", self.engine.ask), ("writ allowed", self.engine.allowed)):
            yield self._row(asked, engine, call, items, arguments)

    def peers(self, asked: str, items: Sequence[Document]) -> Iterator[Row]:
        for engine, peer, prepared in (
            ("cedarpy", self.cedar, peers_cedar.decide_prepared),
            ("vakt", self.vakt, peers_vakt.decide_prepared),
        ):
            yield self._row(asked, engine, peer.decide, items)
            yield self._row(asked, f"{engine}, prepared", prepared, items, peer.prepare)
        yield self._row(asked, "cedarpy, as in its examples", self.cedar.decide_plainly, items)

    def with_casbin(self, asked: str, items: Sequence[Document]) -> Iterator[Row]:
        yield self._row(asked, "casbin", self.casbin.decide, items)

    def without_slices(self, asked: str, items: Sequence[Document]) -> Iterator[Row]:
        yield self._row(asked, "cedarpy, unsliced", self.cedar.decide_whole, items)

    def _row(self, asked: str, engine: str, call: Any, items: Sequence[Document], parts: Parts | None = None) -> Row:
        """A row whose requests are read from JSON right before they are timed. `parts` makes what `call` is given."""
        bodies = [msgspec.json.encode(item) for item in items]
        if parts is None:
            return Row(self.policies, asked, engine, call, bodies, made=msgspec.json.decode)
        return Row(self.policies, asked, engine, call, bodies, True, lambda body: parts(msgspec.json.decode(body)))


def company_rows(policies: int, effort: Effort, folder: Path, now: float) -> Iterator[Row]:
    """The rows of a company's model, checked."""
    contest = Contest(company(policies), folder / f"company-{policies}.bundle", now)
    document, expected = contest.document, contest.expected
    hot = [requests.hot(expected)]
    distinct = requests.distinct(document, expected, effort.distinct)
    first = requests.distinct(document, expected, effort.distinct, types=FIRST_TYPES)
    owners = requests.distinct(document, expected, effort.distinct, OWNING_GRANTS)
    granted = requests.by_grant(document, expected, effort.distinct)
    for request in distinct[:CUTS_CHECKED]:
        expected.check_cut(request)
    for asked, items, makers in (
        ("hot", hot, (contest.writ, contest.peers, contest.with_casbin)),
        ("distinct", distinct, (contest.writ, contest.peers, contest.with_casbin)),
        ("distinct", distinct[:CUTS_CHECKED], (contest.without_slices,)),
        (ON_FIRST_TYPES, first, (contest.writ,)),
        ("of subjects with grants", owners, (contest.writ,)),
        ("by a grant", granted, (contest.writ,)),
    ):
        yield from _checked(contest, asked, items, makers)


def crowd_rows(policies: int, effort: Effort, folder: Path, now: float) -> Iterator[Row]:
    """The rows of the worst case, checked."""
    contest = Contest(crowded(policies), folder / f"crowded-{policies}.bundle", now)
    asked = requests.in_a_crowd(policies, effort.crowd)
    makers = [contest.writ, contest.peers]
    if policies <= CASBIN_CROWD:
        makers.append(contest.with_casbin)
    yield from _checked(contest, "crowded", asked, makers)


def _checked(contest: Contest, asked: str, items: Sequence[Document], makers: Sequence[Any]) -> Iterator[Row]:
    contest.warm(items)
    right = [contest.expected.answer(request) for request in items]
    for make in makers:
        for row in make(asked, items):
            for request, answer, expected in zip(items, row.answers(), right, strict=True):
                if not _agrees(answer, expected):
                    raise Disagreement(f"{row.engine} answers {answer}, the oracle {expected}, to {request}")
            yield row


def _agrees(answer: Any, expected: Document) -> bool:
    """Whether a yes or no is the oracle's, or a whole answer is but for its words for people."""
    if isinstance(answer, bool):
        return answer is expected["decision"]
    if isinstance(answer, Decision):
        answer = {"decision": answer.allowed, "context": answer.context}
    context = {name: value for name, value in answer["context"].items() if name != "reason"}
    return {"decision": answer["decision"], **context} == expected


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the table; exit code 1 where an engine disagrees with the oracle."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.decisions", description=__doc__)
    parser.add_argument("--policies", type=_sizes, help="sizes of the model (default: 100,1000,10000)")
    parser.add_argument("--quick", action="store_true", help="fewer requests and rounds (default: 100,1000)")
    options = parser.parse_args(arguments)
    effort = QUICK if options.quick else FULL
    sizes = options.policies or effort.policies
    with tempfile.TemporaryDirectory() as folder:
        try:
            rows = list(_all_rows(sizes, effort, Path(folder)))
        except Disagreement as ex:
            print(ex, file=sys.stderr)
            return 1
        print("every answer agrees with the oracle; measuring", file=sys.stderr)
        measure(rows, effort.rounds, effort.seconds_a_turn)
    print(show(rows))
    return 0


def _sizes(text: str) -> list[int]:
    sizes = text.split(",")
    if not all(size.isdecimal() and int(size) >= SMALLEST for size in sizes):
        raise argparse.ArgumentTypeError(f"sizes are numbers from {SMALLEST}, with commas between them")
    return [int(size) for size in sizes]


def _all_rows(sizes: Sequence[int], effort: Effort, folder: Path) -> Iterator[Row]:
    now = time.time()
    for size in sizes:
        print(f"{size:,} policies: making models and comparing answers", file=sys.stderr)
        yield from company_rows(size, effort, folder, now)
        yield from crowd_rows(size, effort, folder, now)


if __name__ == "__main__":
    sys.exit(main())
