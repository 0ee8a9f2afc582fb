"""What a promotion costs, and what it takes from decisions: `python -m tests.bench.promoting [--policies N]`.

One worker of a real service has a model in `staging`, with N policies. It is previewed and promoted to `prod` again and
again, each time with every tenth policy changed. Decisions are asked all the while on one connection.
"""

import argparse
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.management import QUESTION, Client
from tests.bench.models import company
from tests.support.server import Server, running

ROUNDS = 5
ENVIRONMENTS = "/v1/environments"
PROMOTIONS = f"{ENVIRONMENTS}/prod/promotions"
QUESTIONS = "/environments/prod/access/v1/evaluation"
REST_SECONDS = 5.0
Model = dict[str, Any]


class Decisions(threading.Thread):
    """Asks the target for a decision again and again, and keeps the time of each."""

    def __init__(self, server: Server) -> None:
        super().__init__(daemon=True)
        self._client, self._ended, self.times = Client(server.host, server.port), threading.Event(), list[float]()

    def run(self) -> None:
        """Ask until told to stop."""
        while not self._ended.is_set():
            self.times.append(seconds(lambda: self._client.ask("POST", QUESTIONS, QUESTION)))

    def end(self) -> list[float]:
        """Stop, and give the times."""
        self._ended.set()
        self.join()
        return self.times


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policies", type=int, default=10_000)
    model = policy_model(parser.parse_args().policies)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "data", workers=1) as server:
        client = Client(server.host, server.port)
        for name in ("staging", "prod"):
            client.ask("POST", ENVIRONMENTS, {"id": name})
        client.ask("PUT", f"{ENVIRONMENTS}/staging/model", model)
        first = seconds(lambda: client.ask("POST", PROMOTIONS, {"from": "staging"}))
        print(f"first promotion of {len(model['policies']):,} policies: {first:.2f} s")
        alone = p99(beside(server, lambda: time.sleep(REST_SECONDS))[1])
        print(f"decisions alone: p99 {alone * 1e3:.2f} ms")
        for name, body in (("preview", {"dry_run": True}), ("promotion", {})):
            taken, times = list[float](), list[float]()
            for _ in range(ROUNDS):
                change(model)
                client.ask("PUT", f"{ENVIRONMENTS}/staging/model", model)
                time.sleep(REST_SECONDS)  # until the bundles are built
                one, asked = beside(
                    server, lambda body=body: client.ask("POST", PROMOTIONS, {"from": "staging"} | body)
                )
                taken.append(one)
                times += asked
            print(f"{name}: {median(taken):.2f} s; decisions beside it: p99 {p99(times) / alone:.1f} times that alone")


def policy_model(policies: int) -> Model:
    """The policy model of the company that other benchmarks decide for."""
    found = company(policies)
    return {"model": 1} | {kind: found[kind] for kind in ("resource_types", "roles", "policies")}


def change(model: Model) -> None:
    """Change every tenth policy."""
    for policy in model["policies"][::10]:
        policy["priority"] = policy.get("priority", 0) + 1


def beside(server: Server, work: Callable[[], object]) -> tuple[float, list[float]]:
    """How long `work` takes, and the decisions beside it, in seconds."""
    decisions = Decisions(server)
    decisions.start()
    taken = seconds(work)
    return taken, decisions.end()


def p99(times: list[float]) -> float:
    """The 99th percentile."""
    return sorted(times)[int(len(times) * 0.99)]


def seconds(call: Callable[[], object]) -> float:
    """How long a call takes."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
