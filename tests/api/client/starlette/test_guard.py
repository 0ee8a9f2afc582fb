"""`writ.starlette` in uvicorn: the decorator of functions and methods, and the checks inside an endpoint."""

import logging
from pathlib import Path
from typing import Any

import pytest

from tests.support.web_applications import DOCUMENTS, FAULTY, REASON_CODE, Looping, asgi, engine, nothing_in_force

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

ALICE, BOB = {"User": "alice"}, {"User": "bob"}
MFA = {**ALICE, "Mfa": "1"}


def application(point: Any, ran: list[str]) -> Starlette:
    """An application over the documents; `ran` notes the endpoints that ran."""
    from writ.starlette import Guard

    async def subject(request: Request) -> Any:
        name = request.headers.get("User")
        return name and {"type": "user", "id": name}

    guard = Guard(point, subject, lambda request: {"mfa": "Mfa" in request.headers})

    async def attributes(request: Request) -> dict[str, str]:
        return {"status": DOCUMENTS[request.path_params["name"]]}

    class Document(HTTPEndpoint):
        @guard.requires("read", "document", id="name")
        async def get(self, request: Request) -> JSONResponse:
            ran.append("get")
            return JSONResponse(request.path_params["name"])

        @guard.requires("change", "document", id=lambda request: request.path_params["name"], properties=attributes)
        def put(self, request: Request) -> JSONResponse:
            ran.append("put")
            return JSONResponse("changed")

    async def page(request: Request) -> JSONResponse:
        access = await guard.access(request)
        return JSONResponse(await access.permitted("read", "document", DOCUMENTS, id=str))

    return Starlette(routes=[Route("/documents/{name}", Document), Route("/documents", page)])


@pytest.mark.parametrize("kind", [lambda one: one, Looping], ids=["engine", "looping"])
def test_an_endpoint_runs_if_the_subject_may(kind: Any, tmp_path: Path) -> None:
    ran = list[str]()
    with asgi(application(kind(engine(tmp_path)), ran)) as client:
        assert client.get("/documents/d1", headers=ALICE).json() == "d1"
        assert client.put("/documents/d1", headers=MFA).json() == "changed"
        assert client.get("/documents", headers=ALICE).json() == ["d1", "d2", "d3"]
        assert client.get("/documents", headers=BOB).json() == ["d3"]
    assert ran == ["get", "put"]


def test_a_refusal_is_403_with_the_reason_code(tmp_path: Path) -> None:
    ran = list[str]()
    with asgi(application(engine(tmp_path), ran)) as client:
        refused = client.get("/documents/d1", headers=BOB)
        assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "NO_POLICY_MATCH")
        assert (refused.headers["Content-Type"], refused.json()["reason_code"]) == (
            "application/json",
            "NO_POLICY_MATCH",
        )
        assert client.put("/documents/d2", headers=MFA).headers[REASON_CODE] == "CONDITION_FAILED"
        assert client.get("/documents").headers[REASON_CODE] == "NO_SUBJECT"
    assert ran == []


@pytest.mark.parametrize("point", [*FAULTY.values(), nothing_in_force], ids=[*FAULTY, "follow"])
def test_without_a_decision_nothing_runs(point: Any, caplog: pytest.LogCaptureFixture) -> None:
    ran = list[str]()
    with asgi(application(point, ran)) as client, caplog.at_level(logging.ERROR, "writ.web"):
        for path in ("/documents/d1", "/documents"):
            refused = client.get(path, headers=ALICE)
            assert (refused.status_code, refused.headers[REASON_CODE]) == (503, "NO_DECISION")
    assert ran == []
