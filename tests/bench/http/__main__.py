"""Writ over HTTP beside OPA and Cerbos: `python -m tests.bench.http`.

Every answer of every service is compared with the oracle's before anything is timed; a disagreement ends the run.
"""

import argparse
import os
import signal
import ssl
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from tests.bench.expected import Disagreement, Expected
from tests.bench.http import installing
from tests.bench.http.busy_load import BusyLoad
from tests.bench.http.cerbos_service import Cerbos
from tests.bench.http.contest import Contest
from tests.bench.http.handshakes import VERSIONS, resumed_share
from tests.bench.http.idle import kibibytes_each
from tests.bench.http.load import Effort, Failed
from tests.bench.http.opa_service import BARE, TOKEN, Opa
from tests.bench.http.processes import NotStarted
from tests.bench.http.questions import BATCHES, POLICIES, QUESTIONS, SINGLE, Question, questions
from tests.bench.http.report import Report
from tests.bench.http.service import Service
from tests.bench.http.workers import Workers
from tests.bench.http.writ_service import Writ
from tests.bench.models import Document, company
from tests.support.certificates import Authority, Pair

CONNECTIONS_RESUMED = 100

Peers = Mapping[str, Callable[[], Service]]
Asked = Mapping[str, Sequence[Question]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit code 1 where a service disagrees with the oracle or does not answer."""
    options = _options(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the services end too
    try:
        os.sched_setaffinity(0, {options.client_core})
        with tempfile.TemporaryDirectory() as folder:
            report = _report(options, Path(folder))
    except (Disagreement, Failed, NotStarted, installing.Unavailable) as ex:
        _say("")
        print(ex, file=sys.stderr)
        return 1
    _say("")
    print(report.json() if options.format == "json" else report.text())
    return 0


def _report(options: argparse.Namespace, folder: Path) -> Report:
    _say("making the model, its questions and the right answers")
    document, now = company(POLICIES), time.time()
    expected, count = Expected(document, now), options.questions
    asked = questions(document, now, count, max(1, count * BATCHES // QUESTIONS))
    authority = Authority(folder, "authority")
    pair, effort = authority.pair("server"), Effort(options.rounds, options.seconds)
    load = BusyLoad.made(folder, options.client_core)
    peers: Peers = {
        BARE: lambda: Opa(installing.opa_binary(options.peers), document, expected.roles, checks=False),
        TOKEN: lambda: Opa(installing.opa_binary(options.peers), document, expected.roles, checks=True),
        "Cerbos": lambda: Cerbos(installing.cerbos_binary(options.peers), document, expected.roles),
    }
    with Contest(asked, load, pair, authority.trust()) as contest:
        _enter(contest, Writ(document), folder, options)
        skipped = _enter_peers(contest, peers, folder, options)
        _follow(contest.turns(effort))
        entrants = contest.entrants
    workers, cores = Workers(), [options.server_core, options.client_core]
    _follow(workers.turns(document, asked[SINGLE], load, cores, folder, effort))
    _say("idle connections")
    idle = kibibytes_each(document, asked[SINGLE][0], folder, [options.server_core])
    _say("sessions")
    resumed = _resumed(document, asked, pair, authority.trust, folder, cores)
    return Report(load.name, entrants, skipped, workers.ratio, workers.smaller_share, idle, resumed)


def _enter(contest: Contest, service: Service, folder: Path, options: argparse.Namespace) -> None:
    _say(f"{service.name}: comparing all answers")
    (place := folder / service.name).mkdir()
    contest.enter(service, place, [options.server_core])


def _enter_peers(contest: Contest, peers: Peers, folder: Path, options: argparse.Namespace) -> dict[str, str]:
    """Returns the reason for each peer that can't take part."""
    skipped = {}
    for name, make in peers.items():
        _say(f"{name}: installing it, unless it is there already")
        try:
            service = make()
        except installing.Unavailable as ex:
            skipped[name] = str(ex)
        else:
            _enter(contest, service, folder, options)
    return skipped


def _resumed(
    document: Document, asked: Asked, pair: Pair, trust: Callable[[], ssl.SSLContext], folder: Path, cores: list[int]
) -> dict[str, float]:
    """Returns the share of sessions that two workers resume, by the version of TLS."""
    service = Writ(document, workers=2)
    call = service.call(asked[SINGLE][0])
    with service.start(folder, cores, pair) as running:
        return {
            name: resumed_share(running, call, trust(), version, CONNECTIONS_RESUMED)
            for name, version in VERSIONS.items()
        }


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.http", description=__doc__)
    parser.add_argument(
        "--peers",
        type=Path,
        default=installing.PEERS,
        metavar="DIR",
        help=f"where OPA and Cerbos are installed (default: {installing.PEERS})",
    )
    parser.add_argument("--rounds", type=int, default=5, help="(default: 5)")
    parser.add_argument("--seconds", type=float, default=2, help="of a turn (default: 2)")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help=f"of each kind (default: {QUESTIONS})")
    parser.add_argument("--server-core", type=int, default=0, help="(default: 0)")
    parser.add_argument("--client-core", type=int, default=1, help="(default: 1)")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    return parser.parse_args(arguments)


def _follow(words: Iterable[str]) -> None:
    for word in words:
        _say(word)


def _say(word: str) -> None:
    """Shows what is being done, in place of what was shown before, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{word}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
