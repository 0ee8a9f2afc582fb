"""What an agent costs, and how soon it follows: `python -m tests.bench.edge [--grants N]`.

- A change is committed at a service, and a waiting agent is asked until it decides by it.
- An agent starts from a bundle with a million direct grants: how long until its first answer, and in how much memory.
- That bundle is replaced by another one: what the swap costs the requests meanwhile.
"""

import argparse
import http.client
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import httpx

from tests.bench.opening import write_document
from tests.bench.waiting import Decisions, private, show
from tests.support.command import writ
from tests.support.processes import children
from tests.support.server import KEY, Server, command, environment, running, started

ROUNDS = 40
STARTS = 5
QUESTION = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
MODEL = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "roles": [{"id": "reader"}],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "roles": ["reader"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        }
    ],
}
IMPORTS = "import writ.api.cli.agent, writ.api.agent.sources.file_source, writ.bundles.signing.signature_check"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grants", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where the bundles are kept for the next run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        enforced(Path(folder))
        kept = options.folder or Path(folder)
        kept.mkdir(exist_ok=True)
        large(Path(folder), signed_bundles(kept, options.grants), kept / "public.pem")


def enforced(folder: Path) -> None:
    """How long after a commit an agent decides by it."""
    with running(folder / "data") as service, service.client() as upstream:
        upstream.put("/v1/environments/default/model", json=MODEL).raise_for_status()
        upstream.get("/v1/environments/default/bundle", timeout=60).raise_for_status()
        (folder / "key.pem").write_bytes(writ("keys", "--kind", "bundle", "--data", folder / "data").stdout)
        (folder / "token").write_text(KEY)
        source = ("--env", "default", "--upstream", service.url, "--token-file", str(folder / "token"))
        trust = ("--key", str(folder / "key.pem"), "--state", str(folder / "state"))
        with agent(folder, *source, *trust) as server, server.client() as edge:
            times = sorted(one_change(upstream, edge, f"user{number}") for number in range(ROUNDS))
    print(
        f"a change is in force at a waiting agent: p50 {median(times) * 1e3:.0f} ms, longest {times[-1] * 1e3:.0f} ms"
    )


def one_change(upstream: httpx.Client, edge: httpx.Client, user: str) -> float:
    """The seconds from the answer to a write until the agent decides by it."""
    question = {**QUESTION, "subject": {"type": "user", "id": user}}
    body = {"role": "reader", "subject": {"type": "user", "id": user}}
    time.sleep(0.2)
    upstream.post("/v1/environments/default/assignments", json=body).raise_for_status()
    committed = time.perf_counter()
    while not edge.post("/access/v1/evaluation", json=question).json()["decision"]:
        pass
    return time.perf_counter() - committed


def signed_bundles(folder: Path, grants: int) -> list[Path]:
    """Two large bundles, made unless they are there."""
    key, bundles = folder / "signing.pem", [folder / "one.bundle", folder / "two.bundle"]
    if all(bundle.exists() for bundle in bundles):
        return bundles
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", folder / "public.pem"], check=True)
    key.chmod(0o600)
    for number, bundle in enumerate(bundles):
        write_document(folder / "model.json", grants + number, grants // 10)
        line = command("compile", str(folder / "model.json"), "-o", str(bundle), "--sign", str(key))
        subprocess.run(line, check=True, stderr=subprocess.DEVNULL, env=environment())
    return bundles


def large(folder: Path, bundles: Sequence[Path], key: Path) -> None:
    """An agent of a large bundle, and the swap to another one."""
    print(f"the bundle has {bundles[0].stat().st_size / 2**20:.0f} MiB")
    used = folder / "used.bundle"
    options = ("--bundle", str(used), "--key", str(key))
    imports = median(timed([sys.executable, "-c", IMPORTS]) for _ in range(STARTS))
    starts = []
    for number in range(STARTS):
        replace(bundles[number % 2], used)
        starts.append(first_answer(folder, *options))
    print(f"first answer {median(starts):.2f} s after the start, of which {imports:.2f} s import")
    with agent(folder, *options) as server:
        decisions = Decisions(server)
        decisions.start()
        time.sleep(3.0)
        (worker,) = children(server.process.pid)
        print(f"private memory of the worker: {private(worker):.1f} MiB")
        replace(bundles[0] if STARTS % 2 == 0 else bundles[1], used)
        time.sleep(5.0)
        show("decisions beside a swap", decisions.end())
        assert "is in force" in server.log
        print(f"private memory after the swap: {private(worker):.1f} MiB")


def replace(source: Path, target: Path) -> None:
    """Put a copy of a file in the place of another, in one step."""
    copy = target.with_suffix(".copy")
    shutil.copyfile(source, copy)
    copy.replace(target)


def timed(line: Sequence[str]) -> float:
    """The seconds that a command takes."""
    begun = time.perf_counter()
    subprocess.run(line, check=True, env=environment())
    return time.perf_counter() - begun


def first_answer(folder: Path, *options: str) -> float:
    """The seconds from the start of an agent to its first answer."""
    port = 8199
    line = command("agent", *options, "--workers", "1", "--bind", f"127.0.0.1:{port}")
    begun = time.perf_counter()
    with (folder / "start.log").open("wb") as log:
        process = subprocess.Popen(line, stdout=log, stderr=log, env=environment())
    try:
        body, headers = json.dumps(QUESTION), {"Content-Type": "application/json"}
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            try:
                connection.request("POST", "/access/v1/evaluation", body, headers)
                if connection.getresponse().status == 200:
                    return time.perf_counter() - begun
            except OSError:
                pass
            finally:
                connection.close()
            time.sleep(0.005)
    finally:
        process.terminate()
        process.wait()


@contextmanager
def agent(folder: Path, *options: str) -> Iterator[Server]:
    """A running agent with one worker."""
    line = command("agent", *options, "--workers", "1", "--bind", "127.0.0.1:0")
    with started(line, environment(), folder / "agent.log", folder) as server:
        yield server


if __name__ == "__main__":
    main()
