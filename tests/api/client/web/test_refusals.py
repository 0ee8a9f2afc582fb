"""What the hooks of all frameworks refuse, and what they say: mistakes of an application fail closed."""

import asyncio
import logging
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
import writ

from tests.support.web_applications import REASON_CODE, Fixed, engine

flask = pytest.importorskip("flask", reason="flask is not installed")
fastapi = pytest.importorskip("fastapi", reason="fastapi is not installed")

ALICE = {"type": "user", "id": "alice"}


def of_flask(point: Any, ran: list[str], subject: Any, **functions: Any) -> Any:
    """An application of Flask, of which nothing may run. `functions` are parameters of `requires` or of the guard."""
    from writ.flask import Guard

    app = flask.Flask("documents")
    guard = Guard(point, lambda: subject, functions.pop("context", None))

    @app.get("/<id>")
    @guard.requires("read", "document", **{name: _ignoring(one) for name, one in functions.items()})
    def show(id: str) -> str:
        ran.append(id)
        return id

    return httpx.Client(transport=httpx.WSGITransport(app), base_url="http://app").get


def of_starlette(point: Any, ran: list[str], subject: Any, **functions: Any) -> Any:
    """The same of Starlette."""
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route
    from writ.starlette import Guard

    given = {name: _ignoring(one) for name, one in functions.items()}
    guard = Guard(point, lambda request: subject, given.pop("context", None))

    @guard.requires("read", "document", **given)
    async def show(request: Any) -> JSONResponse:
        ran.append("show")
        return JSONResponse("show")

    return _over_asgi(Starlette(routes=[Route("/{id}", show)]))


def of_fastapi(point: Any, ran: list[str], subject: Any, **functions: Any) -> Any:
    """The same of FastAPI."""
    from writ.fastapi import Guard

    app = fastapi.FastAPI()
    guard = Guard(point, lambda: subject, functions.pop("context", None))

    @app.get("/{id}", dependencies=[fastapi.Depends(guard.requires("read", "document", **functions))])
    async def show(id: str) -> str:
        ran.append(id)
        return id

    return _over_asgi(app)


def _over_asgi(app: Any) -> Callable[[str], httpx.Response]:
    async def get(path: str) -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app") as client:
            return await client.get(path)

    return lambda path: asyncio.run(get(path))


def _ignoring(function: Callable[[], Any]) -> Callable[[Any], Any]:
    """The function with a parameter."""
    return lambda id: function()


@pytest.fixture(params=[of_flask, of_starlette, of_fastapi])
def served(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize("function", ["properties", "context"])
def test_no_attributes_are_not_taken_for_empty_ones(served: Any, function: str, tmp_path: Path) -> None:
    """Without the attributes that its function should return, a DENY would not hold."""
    for returned in (None, [], ""):
        ran = list[str]()
        refused = served(engine(tmp_path), ran, ALICE, **{function: lambda returned=returned: returned})("/d1")
        assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "REQUEST_REFUSED"), returned
        assert ran == []
    assert served(engine(tmp_path), ran, ALICE, **{function: lambda: {"status": "draft"}})("/d1").status_code == 200


@pytest.mark.parametrize("subject", [None, "", False, {}])
def test_without_a_subject_nothing_else_is_asked(served: Any, subject: Any, tmp_path: Path) -> None:
    """Otherwise the errors of the other functions would tell which resources there are."""
    ran, asked = list[str](), list[str]()
    functions = {"id": lambda: asked.append("id") or "d1", "properties": lambda: asked.append("properties") or {}}
    refused = served(engine(tmp_path), ran, subject, **functions)("/d1")
    assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "NO_SUBJECT")
    assert ran == asked == []


def test_a_refusal_names_no_policy_and_no_attribute(
    served: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ran = list[str]()
    point = engine(tmp_path)
    with caplog.at_level(logging.INFO, "writ.web"):
        denied = served(point, ran, {"type": "user", "id": "bob"})("/d1")
        malformed = served(point, ran, ALICE, properties=lambda: {"secret": 1})("/d1")
    assert "secret" in caplog.text
    bodies = [one.json().get("detail", one.json()) for one in (denied, malformed)]
    assert bodies == [
        {"error": "the decision is a denial", "reason_code": "NO_POLICY_MATCH"},
        {"error": "the request makes no question", "reason_code": "REQUEST_REFUSED"},
    ]
    assert ran == []


@pytest.mark.parametrize("code", ["", " CODE", "A\r\nSet-Cookie: a=b", "C" * 10_000, "é", 7, None, "\x00", "\ud800"])
def test_a_strange_code_is_none(served: Any, code: Any) -> None:
    ran = list[str]()
    point = Fixed({"decision": False, "context": {"reason_code": code, "reason": "\ud800"}})
    refused = served(point, ran, ALICE)("/d1")
    assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "DENIED")
    assert ran == []


@pytest.mark.parametrize("error", [{"status": 500}, {"status": 400}, "failed"])
def test_an_answer_that_allows_and_fails_is_none(served: Any, error: Any) -> None:
    ran = list[str]()
    refused = served(Fixed({"decision": True, "context": {"error": error}}), ran, ALICE)("/d1")
    assert (refused.status_code, refused.headers[REASON_CODE]) == (503, "NO_DECISION")
    assert ran == []


def test_a_page_of_malformed_questions_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from writ.web.asking import permissions
    from writ.web.questions import NO_PROPERTIES, questions

    ids = ["d1", "d" * 600, "d3"]
    asked = questions(ALICE, "read", "document", ids, str, None, NO_PROPERTIES)
    assert permissions(engine(tmp_path), asked) == [True, False, True]
    assert "1 of 3 questions" in caplog.text


def test_equal_numbers_are_one_id() -> None:
    from writ.web.questions import id_text

    assert [id_text(one) for one in (7, 7.0, Decimal("7.00"), 7.5, "7.0", None)] == ["7", "7", "7", "7.5", "7.0", None]


@pytest.mark.parametrize("given", [{"id": "d1"}, {"properties": {"status": "final"}}])
def test_a_whole_resource_takes_no_other_attributes(given: Any) -> None:
    """They would be ignored, and a DENY that compares them would not hold."""
    from writ.web.questions import NO_PROPERTIES, question

    parts = {"id": None, "properties": NO_PROPERTIES, **given}
    with pytest.raises(writ.BadRequest, match="give no others"):
        question(ALICE, "read", {"type": "document", "id": "d1"}, **parts, context=NO_PROPERTIES)


def test_an_integer_of_too_many_digits_is_refused() -> None:
    from writ.client.calling.bodies import encoded
    from writ.web.questions import id_text

    with pytest.raises(writ.BadRequest, match="too long"):
        id_text(10**5000)
    with pytest.raises(writ.BadRequest, match="too many digits"):
        encoded({"n": 10**5000})
