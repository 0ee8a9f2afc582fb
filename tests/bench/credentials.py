"""What it adds to an evaluation over HTTP to know who asks: `python -m tests.bench.credentials`.

Every turn with the guard stands between two turns without it, of the same requests over the same connections to the
same worker; all kinds of credentials take such turns in short rounds.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlencode

from tests.bench.expected import Disagreement, Expected
from tests.bench.guarded import GUARDED, OPEN, Load, Times, post, serving
from tests.bench.management import Client
from tests.bench.models import Document, company
from tests.bench.requests import hot
from tests.support.server import KEY, Server

POLICIES = 1_000
SAME, FIRST, WARM_UP = 100, 30, 10
"""Requests of a turn: with one credential, with one each that the worker never saw, and before any time is taken."""

EVERY = 4
"""What the worker never saw has a turn in every such round: it is used up, and its ratio shows sooner."""

EVALUATION, TOKEN = "/access/v1/evaluation", "/v1/oauth/token"
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
HEAD = f"{'':33}{'worker µs':>10}{'added':>8}{'ratio':>8}{'quartiles':>17}{'a second':>10}{'ratio':>8}"

Requests = Callable[[], list[bytes]]


@dataclass(slots=True)
class Row:
    """Requests to one application, and those to the open one that they are compared with: the same, where None."""

    name: str
    requests: Requests
    app: str = GUARDED
    beside: Requests | None = None
    every: int = 1
    times: list[tuple[Times, Times]] = field(default_factory=list)

    def __str__(self) -> str:
        ratios = quantiles([own.worker / base.worker for own, base in self.times])
        added = median(own.worker - base.worker for own, base in self.times)
        worker, wall = median(own.worker for own, _ in self.times), median(own.wall for own, _ in self.times)
        slower = median(own.wall / base.wall for own, base in self.times)
        costs = f"{worker:10.1f}{added:8.1f}{ratios[1]:8.3f}{ratios[0]:9.3f}{ratios[2]:8.3f}"
        return f"{self.name:33}{costs}{1e6 / wall:10,.0f}{slower:8.3f}"


class Contest:
    """The rows over one service, with the credentials and the right answer."""

    def __init__(self, server: Server, load: Load, request: Document, answer: Document, rounds: int) -> None:
        self._admin, self._load = Client(server.host, server.port), load
        self._question = json.dumps(request).encode()
        made = json.loads(self._admin.ask("POST", "/v1/clients", {"name": "bench", "scopes": ["read"]}))
        form = {"grant_type": "client_credentials"} | {key: made[key] for key in ("client_id", "client_secret")}
        self._form = post(TOKEN, urlencode(form).encode(), FORM, None)
        # All beforehand: after a change of credentials, a worker has to meet every one of them again.
        self._keys = [self._api_key() for _ in range(rounds // EVERY * FIRST + 1)]
        self._token = self._tokens(1)[0]
        self._right = load.ask([self._asked(KEY)])[0]
        said = json.loads(self._right)
        said |= {name: value for name, value in said.pop("context").items() if name != "reason"}
        if said != answer:
            raise Disagreement(f"the service answers {said}, the oracle {answer}, to {request}")

    def rows(self) -> list[Row]:
        """All rows."""
        token, key = self._token, self._keys.pop()
        return [
            Row("no check, twice", self._same(token), OPEN),
            Row("an unchecked token", self._same(token), OPEN, self._same(None)),
            Row("administrator's key", self._same(KEY)),
            Row("API key, remembered", self._same(key)),
            Row("access token, remembered", self._same(token)),
            Row("API key, met first", lambda: [self._asked(self._keys.pop()) for _ in range(FIRST)], every=EVERY),
            Row("access token, met first", lambda: [*map(self._asked, self._tokens(FIRST))], every=EVERY),
            Row("a token is issued", lambda: [self._form] * FIRST, beside=self._same(token), every=EVERY),
        ]

    def turn(self, row: Row) -> None:
        """Have a row take its turn, and check all answers."""
        asked = row.requests()
        beside = asked if row.beside is None else row.beside()
        warm_up = self._same(self._token)()[:WARM_UP]
        before, first = self._load.timed(OPEN, warm_up, beside)
        bodies, own = self._load.timed(row.app, warm_up, asked)
        after, second = self._load.timed(OPEN, warm_up, beside)
        row.times.append((own, Times((first.worker + second.worker) / 2, (first.wall + second.wall) / 2)))
        for body in before + after + bodies:
            if body != self._right and not (asked[0] is self._form and b'"access_token":"ey' in body):
                raise Disagreement(f"the service answers {body!r}, and before {self._right!r}")

    def _same(self, credential: str | None) -> Requests:
        requests = [self._asked(credential)] * SAME
        return lambda: requests

    def _asked(self, credential: str | None) -> bytes:
        return post(EVALUATION, self._question, JSON, credential)

    def _tokens(self, count: int) -> list[str]:
        return [json.loads(body)["access_token"] for body in self._load.ask([self._form] * count)]

    def _api_key(self) -> str:
        return str(json.loads(self._admin.ask("POST", "/v1/api-keys", {"name": "bench", "scopes": ["read"]}))["key"])


def measure(contest: Contest, rows: Sequence[Row], rounds: int) -> None:
    """Have all rows take their turns, each round in the other direction; the first one doesn't count."""
    for number in range(rounds):
        for row in rows if number % 2 else reversed(rows):
            if number % row.every == 0:
                contest.turn(row)
    for row in rows:
        del row.times[0]


def main() -> int:
    """Measure and print the table; exit code 1 where an answer is not the oracle's."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.credentials", description=__doc__)
    parser.add_argument("--rounds", type=int, default=160, help="(default: 160, which takes about a minute)")
    parser.add_argument("--connections", type=int, default=8, help="(default: 8)")
    options = parser.parse_args()
    rounds = max(4 * EVERY, options.rounds // EVERY * EVERY)
    document = company(POLICIES)
    expected = Expected(document, time.time())
    request = hot(expected)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), document) as server:
        load = Load(server, options.connections)
        try:
            contest = Contest(server, load, request, expected.answer(request), rounds)
            rows = contest.rows()
            measure(contest, rows, rounds)
        except Disagreement as ex:
            print(ex, file=sys.stderr)
            return 1
    print(HEAD, *rows, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
