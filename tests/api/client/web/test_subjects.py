"""`guard.subject` gives a view the subject for its query. A request without one ends with 403, in each framework."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

import httpx
import pytest
import sqlalchemy as sa
import writ.testing
from writ.sqlalchemy import authorized

from tests.support.web_applications import REASON_CODE

flask = pytest.importorskip("flask", reason="flask is not installed")
fastapi = pytest.importorskip("fastapi", reason="fastapi is not installed")

Get = Callable[[dict[str, str]], Any]
USER = "X-User"


def named(headers: Any) -> dict[str, str] | None:
    user = headers.get(USER)
    return user and {"type": "user", "id": user}


def of_flask(point: Any) -> Get:
    from writ.flask import Guard

    app = flask.Flask("documents")
    guard = Guard(point, lambda: named(flask.request.headers))

    @app.get("/")
    def show() -> Any:
        return dict(guard.subject())

    return lambda headers: httpx.Client(transport=httpx.WSGITransport(app), base_url="http://app").get(
        "/", headers=headers
    )


def of_starlette(point: Any) -> Get:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route
    from writ.starlette import Guard

    guard = Guard(point, lambda request: named(request.headers))

    async def show(request: Request) -> JSONResponse:
        return JSONResponse(await guard.subject(request))

    return over_asgi(Starlette(routes=[Route("/", show)]))


def of_fastapi(point: Any) -> Get:
    from writ.fastapi import Guard

    app = fastapi.FastAPI()

    async def subject(x_user: Annotated[str | None, fastapi.Header()] = None) -> Any:
        return named({USER: x_user})

    guard = Guard(point, subject)

    @app.get("/")
    async def show(who: Annotated[Any, fastapi.Depends(guard.subject)]) -> Any:
        return who

    return over_asgi(app)


def over_asgi(app: Any) -> Get:
    async def get(headers: dict[str, str]) -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app") as client:
            return await client.get("/", headers=headers)

    return lambda headers: asyncio.run(get(headers))


@pytest.fixture
def pdp(tmp_path: Any) -> writ.Engine:
    (tmp_path / "model.writ").write_text("type documents\n    actions read\n")
    return writ.testing.engine(tmp_path / "model.writ")


@pytest.mark.parametrize("made", [of_flask, of_starlette, of_fastapi])
def test_a_view_gets_the_subject_or_does_not_run(made: Callable[[Any], Get], pdp: writ.Engine) -> None:
    get = made(pdp)
    assert get({USER: "alice"}).json() == {"type": "user", "id": "alice"}
    refused = get({})
    assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "NO_SUBJECT")


def test_a_query_without_a_subject_says_what_to_do(pdp: writ.Engine) -> None:
    documents = sa.Table("documents", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True))
    subject: Any = named({})
    with pytest.raises(writ.BadRequest, match="a subject is a mapping; without one, refuse the request") as caught:
        authorized(sa.select(documents), pdp, subject, "read")
    assert caught.value.path == "$.subject"
