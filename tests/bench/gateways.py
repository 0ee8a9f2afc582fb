"""What a gateway's check costs beside the same evaluation: `python -m tests.bench.gateways`.

One worker of a real service answers both on one connection, in turns. The figures are the worker's processor time. The
check is nginx's, with a subject in a header, and with 10 and with 10,000 routes: about one path again and again, which
the worker remembers, and about another path each time.
"""

import json
import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

from tests.bench.management import Client
from tests.support.processes import children
from tests.support.server import KEY, running

REQUESTS: Final = 5_000
ROUNDS: Final = 9
FEW, MANY = 10, 10_000
SUBJECT: Final = {"type": "user", "id": "alice"}
NANO: Final = 1e9


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "data", workers=1) as server:
        client = Client(server.host, server.port)
        for name, routes in (("few", FEW), ("many", MANY)):
            prepare(client, name, routes)
        worker = children(server.process.pid)[0]
        kinds = {"evaluation": [evaluation()] * REQUESTS}
        for env, name in (("few", "10 routes"), ("many", "10,000 routes")):
            kinds[name] = [check(env, "d1")] * REQUESTS
            kinds[f"{name}, other paths"] = [check(env, f"d{number}") for number in range(REQUESTS)]
        times: dict[str, list[float]] = {kind: [] for kind in kinds}
        with socket.create_connection((server.host, server.port)) as connection:
            for _ in range(ROUNDS):
                for kind, requests in kinds.items():
                    times[kind].append(cost(connection, worker, requests))
    beside = median(times["evaluation"])
    for kind, found in times.items():
        ratio = median(found) / beside
        print(f"{kind:26} {median(found) * 1e6:6.1f} us of processor time, {ratio:.2f} times an evaluation")


def prepare(client: Client, env: str, routes: int) -> None:
    """Make an environment with so many routes, the last of which the requests match."""
    root = f"/v1/environments/{env}"
    client.ask("POST", "/v1/environments", {"id": env})
    client.ask("PUT", f"{root}/model", model(routes))
    settings = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["127.0.0.1"]}
    client.ask("PUT", f"{root}/gateway", settings)


def model(routes: int) -> dict[str, Any]:
    """A model whose readers may read documents, and routes of so many services."""
    route = {"methods": ["GET"], "resource_type": "document", "action": "read"}
    paths = [f"/service{number}/items/{{id}}" for number in range(routes - 1)] + ["/documents/{id}"]
    return {
        "model": 1,
        "resource_types": [{"id": "document", "actions": ["read"]}],
        "roles": [{"id": "reader"}],
        "assignments": [{"role": "reader", "subject": SUBJECT}],
        "policies": [
            {
                "id": "p",
                "effect": "ALLOW",
                "roles": ["reader"],
                "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            }
        ],
        "routes": [route | {"id": f"r{number}", "path": path} for number, path in enumerate(paths)],
    }


def evaluation() -> bytes:
    """The evaluation that the checks come to, with what they send of the request in its context."""
    context = {"method": "GET", "host": "shop.example", "path": "/documents/d1"}
    body = {"subject": SUBJECT, "action": {"name": "read"}, "resource": {"type": "document", "id": "d1"}}
    text = json.dumps(body | {"context": context}).encode()
    head = (
        "POST /environments/few/access/v1/evaluation HTTP/1.1\r\nHost: writ\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {KEY}\r\nContent-Length: {len(text)}\r\n\r\n"
    )
    return head.encode() + text


def check(env: str, document: str) -> bytes:
    """What nginx sends about a document."""
    lines = (
        f"GET /environments/{env}/gateway/nginx HTTP/1.1",
        "Host: writ",
        f"X-Writ-Authorization: Bearer {KEY}",
        "X-Writ-Subject: user:alice",
        "X-Original-Method: GET",
        f"X-Original-URI: /documents/{document}",
        "X-Original-Host: shop.example",
    )
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


def cost(connection: socket.socket, worker: int, requests: Sequence[bytes]) -> float:
    """The worker's processor seconds for one of many requests, which are all allowed."""
    before = spent(worker)
    for request in requests:
        connection.sendall(request)
        answer = connection.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 200"), answer
    return (spent(worker) - before) / len(requests)


def spent(process: int) -> float:
    """The processor seconds of the threads of a process. `stat` has them in steps of 10 ms only."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / NANO


if __name__ == "__main__":
    main()
