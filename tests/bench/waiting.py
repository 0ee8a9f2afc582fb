"""What waiting agents cost a worker: `python -m tests.bench.waiting [--agents N]`.

One worker of a real service holds a long poll for each of N agents. Then a change is committed, and each agent gets the
same update. Decisions are asked all the while, one after the other on one connection.
"""

import argparse
import asyncio
import resource
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

import httpx

from tests.support.processes import children
from tests.support.server import KEY, Server, running

MODEL = {"model": 1, "resource_types": [{"id": "document", "actions": ["read"]}], "roles": [{"id": "reader"}]}
BUNDLE = "/v1/environments/default/bundle"
QUESTION = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
SPARE = 2_000
AT_ONCE = 200


class Decisions(threading.Thread):
    """Asks for a decision again and again, and keeps the time of each."""

    def __init__(self, server: Server) -> None:
        super().__init__(daemon=True)
        self._client, self._ended, self.seconds = server.client(), threading.Event(), list[float]()

    def run(self) -> None:
        """Ask until told to stop."""
        while not self._ended.is_set():
            begun = time.perf_counter()
            self._client.post("/access/v1/evaluation", json=QUESTION)
            self.seconds.append(time.perf_counter() - begun)

    def end(self) -> list[float]:
        """Stop, and give the times in order of length."""
        self._ended.set()
        self.join()
        return sorted(self.seconds)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=10_000)
    agents = parser.parse_args().agents
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    settings = {"WRIT_MAX_CONNECTIONS": str(agents * 4 // 3 + SPARE), "WRIT_MAX_WAITING": str(agents)}
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder) / "data", settings=settings) as server,
        server.client() as http,
    ):
        http.put("/v1/environments/default/model", json=MODEL).raise_for_status()
        http.get(BUNDLE, timeout=60).raise_for_status()
        asyncio.run(measured(server, http, agents))


async def measured(server: Server, http: httpx.Client, agents: int) -> None:
    """Let agents wait, commit a change, and time the answers."""
    (worker,) = children(server.process.pid)
    tag = http.get(BUNDLE, params={"since": 1}, headers={"If-None-Match": '"x"'}).headers["etag"]
    before = private(worker)
    answered: list[float] = []
    show("decisions alone", await decided(server, 3.0))
    waiting = []
    for number in range(agents):
        waiting.append(asyncio.create_task(agent(server, tag, answered)))
        if number % AT_ONCE == 0:
            await asyncio.sleep(0.05)
    await asyncio.sleep(3.0)
    held = private(worker)
    print(f"{agents:,} agents wait: {held - before:.0f} MiB, {(held - before) * 1024 / agents:.1f} KiB each")
    print(f"threads of the worker: {len(list(Path(f'/proc/{worker}/task').iterdir()))}")
    show("decisions beside waiting agents", await decided(server, 3.0))
    decisions = Decisions(server)
    decisions.start()
    begun = time.perf_counter()
    await asyncio.to_thread(http.post, "/v1/environments/default/roles", json={"id": "writer"})
    committed = time.perf_counter()
    await asyncio.gather(*waiting)
    times = sorted(one - committed for one in answered)
    print(f"the write took {(committed - begun) * 1e3:.0f} ms")
    print(
        f"agents told after: first {times[0] * 1e3:.0f} ms, p50 {median(times) * 1e3:.0f} ms,"
        f" last {times[-1] * 1e3:.0f} ms"
    )
    show("decisions meanwhile", decisions.end())


async def agent(server: Server, tag: str, answered: list[float]) -> None:
    """Wait for a change."""
    reader, writer = await asyncio.open_connection(server.host, server.port)
    head = (
        f"GET {BUNDLE}?since=1 HTTP/1.1\r\nHost: writ\r\nAuthorization: Bearer {KEY}\r\n"
        f"If-None-Match: {tag}\r\nPrefer: wait=60\r\n\r\n"
    )
    writer.write(head.encode())
    status = await reader.readline()
    answered.append(time.perf_counter())
    assert b" 200 " in status, status
    writer.close()


async def decided(server: Server, seconds: float) -> list[float]:
    """The times of decisions, asked for so long."""
    decisions = Decisions(server)
    decisions.start()
    await asyncio.sleep(seconds)
    return await asyncio.to_thread(decisions.end)


def private(process: int) -> float:
    """The private memory of a process in MiB, without the pages of files that only it has mapped."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_Dirty")) / 1024


def show(what: str, times: list[float]) -> None:
    """Print how long decisions took."""
    p99 = times[int(len(times) * 0.99)] if times else 0.0
    print(
        f"{what}: {len(times)}, p50 {median(times) * 1e3:.2f} ms, p99 {p99 * 1e3:.2f} ms,"
        f" longest {times[-1] * 1e3:.1f} ms"
    )


if __name__ == "__main__":
    main()
