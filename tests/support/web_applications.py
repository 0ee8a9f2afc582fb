"""The parts that tests of web frameworks share: a model, its engine, decision points that fail, servers in threads."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import writ
import writ.testing

MODEL = """\
model: 1
resource_types:
- {id: document, name: document, actions: [read, change], attributes: {status: string, owner: string}}
roles: [{id: editor}]
subjects: [{type: user, id: alice}, {type: user, id: bob}]
assignments: [{role: editor, subject: {type: user, id: alice}}]
grants: [{id: g1, subject: {type: user, id: bob}, resource: {type: document, id: d3}, actions: [read]}]
policies:
- {id: reading, effect: ALLOW, roles: [editor], resource_types: [{resource_type_id: document, actions: [read]}]}
- id: changing
  effect: ALLOW
  roles: [editor]
  resource_types: [{resource_type_id: document, actions: [change]}]
  conditions: {resource_attrs: [{key: status, op: eq, value: draft}], context_attrs: [{key: mfa, op: eq, value: true}]}
"""
DOCUMENTS = {"d1": "draft", "d2": "final", "d3": "draft"}
"""The application's data: the status of each document."""

REASON_CODE = "X-Writ-Reason-Code"


def engine(folder: Path) -> writ.Engine:
    """Returns an engine over the model, strict."""
    (folder / "model.yaml").write_text(MODEL)
    return writ.testing.engine(folder / "model.yaml")


class Counting:
    """A blocking decision point that is no engine, and notes what it is asked and in threads of which name."""

    def __init__(self, engine: writ.Engine):
        self.engine, self.asked, self.threads = engine, list[str](), set[str]()

    def _note(self, call: str) -> None:
        self.asked.append(call)
        self.threads.add(threading.current_thread().name)

    def decide(self, request: Any) -> Any:
        """One decision."""
        self._note("decide")
        return self.engine.decide(request)

    def decide_many(self, requests: Any) -> Any:
        """A batch."""
        self._note("decide_many")
        return self.engine.decide_many(requests)

    def filter(self, request: Any) -> Any:
        """A filter."""
        self._note("filter")
        return self.engine.filter(request)


class Looping:
    """A decision point for event loops."""

    def __init__(self, engine: writ.Engine):
        self.engine = engine

    async def decide(self, request: Any) -> Any:
        """One decision."""
        return self.engine.decide(request)

    async def decide_many(self, requests: Any) -> Any:
        """A batch."""
        return self.engine.decide_many(requests)

    async def filter(self, request: Any) -> Any:
        """A filter."""
        return self.engine.filter(request)


class Fixed:
    """A decision point that gives the same answer to each question, as a faulty one may."""

    def __init__(self, answer: Any):
        self.answer = answer

    def decide(self, request: Any) -> Any:
        """The answer."""
        return self.answer

    def decide_many(self, requests: Any) -> Any:
        """The answer to each question."""
        return [self.answer for _ in requests]

    def filter(self, request: Any) -> Any:
        """Nothing that is known."""
        raise writ.SearchUnavailable("no filter")


FAULTY = {
    "no-decision": Fixed({}),
    "text": Fixed({"decision": "true"}),
    "number": Fixed({"decision": 1}),
    "not-an-object": Fixed(None),
}
"""Decision points whose answers are none: a decision is a boolean."""


def nothing_in_force() -> Any:
    """A followed engine before its first bundle."""
    raise writ.FollowError("nothing is in force yet")


@contextmanager
def wsgi(application: Any) -> Iterator[httpx.Client]:
    """Serves a WSGI application with Werkzeug's server, and gives a client of it."""
    from werkzeug.serving import make_server

    server = make_server("127.0.0.1", 0, application, threaded=True)
    with _running(server.serve_forever, server.shutdown), httpx.Client(base_url=_url(server.port)) as client:
        yield client
    server.server_close()


@contextmanager
def asgi(application: Any) -> Iterator[httpx.Client]:
    """Serves an ASGI application with uvicorn, and gives a client of it."""
    import socket

    import uvicorn

    server = uvicorn.Server(uvicorn.Config(application, log_level="warning"))
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def stop() -> None:
            server.should_exit = True

        url = _url(listening.getsockname()[1])
        with _running(lambda: server.run([listening]), stop), httpx.Client(base_url=url) as client:
            yield client


@contextmanager
def _running(serve: Any, stop: Any) -> Iterator[None]:
    thread = threading.Thread(target=serve, name="server")
    thread.start()
    try:
        yield
    finally:
        stop()
        thread.join(30)


def _url(port: int) -> str:
    return f"http://127.0.0.1:{port}"
