"""The hooks with clients of a real service of Writ, which they ask over HTTP, and with it gone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, nullcontext
from pathlib import Path
from typing import Annotated, Any

import pytest
import writ

from tests.support.server import KEY, running
from tests.support.web_applications import REASON_CODE, asgi, wsgi

flask = pytest.importorskip("flask", reason="flask is not installed")
fastapi = pytest.importorskip("fastapi", reason="fastapi is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

SUBJECT = {"type": "user", "id": "hana.abdi"}
CLASSES = {"d1": "internal", "d2": "secret", "d3": "public"}


def attributes(id: str) -> dict[str, str]:
    """The attributes of a document."""
    return {"classification": CLASSES[id]}


def of_flask(point: Any) -> Any:
    """An application of Flask."""
    from writ.flask import Guard

    app = flask.Flask("documents")
    guard = Guard(point, lambda: SUBJECT)

    @app.get("/documents/<id>")
    @guard.requires("read", "document", properties=attributes)
    def show(id: str) -> str:
        return id

    @app.get("/documents")
    def page() -> list[str]:
        return guard.permitted("read", "document", CLASSES, id=str, properties=attributes)

    return app


def of_fastapi(point: Any) -> Any:
    """The same of FastAPI."""
    from writ.fastapi import Guard, Permitted

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        yield
        if isinstance(point, writ.AsyncClient):
            await point.aclose()

    app = fastapi.FastAPI(lifespan=lifespan)
    guard = Guard(point, lambda: SUBJECT)
    reads = fastapi.Depends(guard.requires("read", "document", properties=attributes))
    permitted = fastapi.Depends(guard.permitted("read", "document", id=str, properties=attributes))

    @app.get("/documents/{id}", dependencies=[reads])
    async def show(id: str) -> str:
        return id

    @app.get("/documents")
    async def page(documents: Annotated[Permitted[str], permitted]) -> list[str]:
        return await documents.among(CLASSES)

    return app


WAYS = {
    "flask": (wsgi, of_flask, writ.Client),
    "fastapi": (asgi, of_fastapi, writ.AsyncClient),
    "fastapi-blocking": (asgi, of_fastapi, writ.Client),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_over_http(way: Any, tmp_path: Path) -> None:
    serve, application, client = way
    with running(tmp_path / "data", "--demo") as service:
        point = client(service.url, token=KEY, timeout=10)
        with closed_at_the_end(point), serve(application(point)) as browser:
            assert browser.get("/documents/d1").status_code == 200
            refused = browser.get("/documents/d2")
            assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "CONDITION_FAILED")
            assert browser.get("/documents").json() == ["d1", "d3"]
    point = client(service.url, token=KEY, timeout=0.5)
    with closed_at_the_end(point), serve(application(point)) as browser:
        for path in ("/documents/d1", "/documents"):
            refused = browser.get(path)
            assert (refused.status_code, refused.headers[REASON_CODE]) == (503, "NO_DECISION")


def closed_at_the_end(point: Any) -> Any:
    """A context that closes a blocking client. The application closes the other one, in its event loop."""
    return closing(point) if isinstance(point, writ.Client) else nullcontext()
