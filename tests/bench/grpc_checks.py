"""The cost of Envoy's check over gRPC beside an empty call: `python -m tests.bench.grpc_checks`.

A service with one worker answers checks by the route of one policy. A server of the same library, with the same event
loop, answers each call with an empty message. Both get the same bytes from one client, with several calls under way, in
turns. The figures are the processor time of the servers. Needs the extra `envoy`.
"""

import subprocess
import sys
import tempfile
from collections import deque
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, Final

import grpc
import uvloop

from tests.bench.gateways import prepare
from tests.bench.http.processes import processor_seconds
from tests.bench.management import Client
from tests.support.envoy_checks import CHECK, check_request, read_answer
from tests.support.ports import free_port
from tests.support.server import KEY, ROOT, environment, running

CALLS, ROUNDS, UNDER_WAY = 3_000, 9, 16
ENVIRONMENT: Final = "few"
MESSAGE: Final = check_request("GET", "/documents/d1", [("x-writ-subject", "user:alice")])
METADATA: Final = (("x-writ-authorization", f"Bearer {KEY}"), ("x-writ-environment", ENVIRONMENT))


def main() -> None:
    """Print the figures."""
    times: dict[str, list[float]] = {"an empty call": [], "a check": []}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        port, empty = free_port(), free_port()
        server = stack.enter_context(running(Path(folder) / "data", "--envoy-bind", f"127.0.0.1:{port}"))
        prepare(Client(server.host, server.port), ENVIRONMENT, 1)
        line = [sys.executable, "-m", "tests.bench.grpc_checks", str(empty)]
        bare = stack.enter_context(subprocess.Popen(line, env=environment(), cwd=ROOT))
        stack.callback(bare.kill)
        kinds = {"an empty call": (empty, bare.pid), "a check": (port, server.process.pid)}
        calls = {kind: stack.enter_context(_channel(at)).unary_unary(CHECK) for kind, (at, _) in kinds.items()}
        ready = {kind: call(MESSAGE, metadata=METADATA, wait_for_ready=True) for kind, call in calls.items()}
        assert read_answer(ready["a check"]).code == 0, read_answer(ready["a check"])
        for _ in range(ROUNDS):
            for kind, (_, process) in kinds.items():
                times[kind].append(_cost(calls[kind], process))
    ratios = [check / beside for check, beside in zip(times["a check"], times["an empty call"], strict=True)]
    for kind, found in times.items():
        print(f"{kind:14} {median(found) * 1e6:6.1f} us of processor time")
    print(f"a check takes {median(ratios):.2f} times an empty call")


def _channel(port: int) -> Any:
    return grpc.insecure_channel(f"127.0.0.1:{port}", (("grpc.use_local_subchannel_pool", 1),))


def _cost(call: Any, process: int) -> float:
    """Returns the processor seconds of a server for one call of many, all of which are answered."""
    before, sent = processor_seconds(process), deque[Any]()
    for _ in range(CALLS):
        if len(sent) == UNDER_WAY:
            sent.popleft().result()
        sent.append(call.future(MESSAGE, metadata=METADATA))
    for one in sent:
        one.result()
    return (processor_seconds(process) - before) / CALLS


async def serve_empty(port: int) -> None:
    """Answer each call with an empty message, until the process is killed."""

    async def empty(_message: bytes, _context: Any) -> bytes:
        return b""

    service, method = CHECK.removeprefix("/").split("/")
    server = grpc.aio.server()
    handlers = {method: grpc.unary_unary_rpc_method_handler(empty)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        uvloop.run(serve_empty(int(sys.argv[1])))
    else:
        main()
