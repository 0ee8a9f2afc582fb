"""The memory of a worker for each connection that waits for its next request."""

import json
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.bench.http.processes import resident_bytes
from tests.bench.http.questions import Question
from tests.bench.http.service import Running
from tests.bench.http.writ_service import Writ
from tests.bench.models import Document
from tests.support.processes import children

CONNECTIONS, SPARE_FILES = 10_000, 512
SOURCES = [f"127.0.0.{number}" for number in range(2, 6)]
"""Addresses of the clients, since each has a bounded number of ports."""

SETTINGS = {"WRIT_MAX_CONNECTIONS": str(CONNECTIONS + SPARE_FILES), "WRIT_IDLE_SECONDS": "600"}


def kibibytes_each(document: Document, question: Question, folder: Path, cores: list[int]) -> float:
    """Returns what each of 10,000 connections adds to the worker's memory. Each one has asked a question before."""
    service = Writ(document, settings=SETTINGS)
    with _open_files(CONNECTIONS + SPARE_FILES), service.start(folder, cores, None) as running, ExitStack() as stack:
        (worker,) = children(running.pid)
        request = _request(service, running, question)
        for number in range(SPARE_FILES):  # so that the memory that the first connections take is not counted
            stack.enter_context(_connected(running, number, request))
        before = resident_bytes(worker)
        for number in range(CONNECTIONS - SPARE_FILES):
            stack.enter_context(_connected(running, number, request))
        return (resident_bytes(worker) - before) / (CONNECTIONS - SPARE_FILES) / 1_024


@contextmanager
def _open_files(needed: int) -> Iterator[None]:
    """Lets this process, and those that it starts, open so many files. Raises ValueError where the system refuses."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed + SPARE_FILES), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _connected(running: Running, number: int, request: bytes) -> socket.socket:
    parts = urlsplit(running.url)
    source = SOURCES[number % len(SOURCES)], 0
    connection = socket.create_connection((str(parts.hostname), int(parts.port or 0)), 10, source)
    connection.sendall(request)
    answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 200"), answer
    return connection


def _request(service: Writ, running: Running, question: Question) -> bytes:
    call = service.call(question)
    body = json.dumps(call.body).encode()
    lines = [f"POST {call.path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
    lines += ["Content-Type: application/json", *(f"{name}: {value}" for name, value in running.headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body
