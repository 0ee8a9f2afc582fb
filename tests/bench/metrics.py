"""What it costs to count for the metrics: `python -m tests.bench.metrics [--rounds N]`.

Two services with one worker each answer the same evaluations over HTTP in turns: one as it is, and one that counts
nothing for a decision call. The figure is the processor time of the worker for a request, in the kernel too.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from unittest.mock import patch

from writ.api.cli.main import main as command_line
from writ.api.endpoints.decisions.lane import DecisionLane, Head
from writ.api.http.revision_tokens import decision_lines
from writ.api.telemetry.metrics.counts import Counts
from writ.runtime import Engine

from tests.bench.http.questions import SINGLE, Question, questions
from tests.bench.models import company
from tests.support.processes import children
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, command, environment, started

POLICIES, REQUESTS = 200, 500
MOST_SHARE = 0.05
_UNCOUNTED = "from tests.bench.metrics import serve_uncounted; serve_uncounted()"


class Uncounted(DecisionLane):
    """The lane as it would be without metrics."""

    def answer(self, request: Head, body: bytes) -> tuple[bytes, bytes] | None:
        """See `DecisionLane`. There is no decision log."""
        try:
            env, call, _ = self._targets[request.target]
            moment = self._log.begin()
            _, engine = self._admissions.of(request.fields[b"authorization"].decode("latin-1"), env)
            answer = call.at_once(engine, body, moment.now)
        except Exception:
            return None
        return None if answer is None else (b"%b%b\r\n" % (decision_lines(engine), moment.id), answer[1])


def _no_count(_counts: Counts, _engine: Engine, _code: str) -> None:
    pass


def serve_uncounted() -> None:
    """`writ serve` without counting."""
    with patch("writ.api.service.server_parts.DecisionLane", Uncounted), patch.object(Counts, "decided", _no_count):
        command_line()


class Worker:
    """The worker of a service, and a connection to it."""

    def __init__(self, process: int, connection: RawConnection) -> None:
        self._times, self._connection = Path(f"/proc/{process}/schedstat"), connection
        self.microseconds: list[float] = []

    def ask(self, sent: Sequence[bytes]) -> list[bool]:
        """Returns the decisions, and keeps the processor time of one on average."""
        before, answers = self._nanoseconds(), []
        for one in sent:
            self._connection.send(one)
            answers.append(self._connection.answer().body)
        self.microseconds.append((self._nanoseconds() - before) / len(sent) / 1e3)
        return [json.loads(answer)["decision"] for answer in answers]

    def _nanoseconds(self) -> int:
        return int(self._times.read_text().split()[0])


@contextmanager
def worker(folder: Path, name: str, code: str | None) -> Iterator[Worker]:
    """A service with the model in `folder`, run by other Python `code` than `writ`, if it is given."""
    options = ("--data", str(folder / name), "--import", str(folder / "model.json"), "--bind", "127.0.0.1:0")
    line = command("serve", *options, "--workers", "1")
    if code is not None:
        line[2] = code
    variables = environment({"WRIT_ADMIN_KEY": KEY})
    with ExitStack() as stack:
        server = stack.enter_context(started(line, variables, folder / f"{name}.log", folder))
        connection = stack.enter_context(RawConnection(server.host, server.port))
        yield Worker(children(server.process.pid)[0], connection)


def compare(folder: Path, rounds: int) -> tuple[Worker, Worker]:
    """Returns the workers after their turns: the one that counts nothing, and the other one."""
    document = company(POLICIES)
    (folder / "model.json").write_text(json.dumps({"model": 1} | document))
    asked: list[Question] = questions(document, time.time(), REQUESTS, 1)[SINGLE]
    sent = [request("POST", "/access/v1/evaluation", json.dumps(one.request).encode(), {}, KEY) for one in asked]
    right = [one.right[0] for one in asked]
    with worker(folder, "uncounted", _UNCOUNTED) as plain, worker(folder, "counted", None) as counted:
        for turn in range(rounds):
            for one in (plain, counted) if turn % 2 else (counted, plain):
                assert one.ask(sent) == right
    return plain, counted


def main() -> int:
    """Print the figures. Exit code 1 if counting takes too much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        plain, counted = compare(Path(folder), rounds)
    shares = [two / one - 1 for one, two in zip(plain.microseconds, counted.microseconds, strict=True)]
    share = median(shares)
    print(f"without counting {median(plain.microseconds):6.1f} µs a request")
    print(f"as it is served  {median(counted.microseconds):6.1f} µs a request")
    print(f"counting takes {share:.1%} more; at most {MOST_SHARE:.0%} are allowed")
    return 0 if share <= MOST_SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
