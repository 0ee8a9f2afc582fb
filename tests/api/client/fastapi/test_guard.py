"""`writ.fastapi` in uvicorn: the dependency, the list dependency, and each kind of decision point."""

import logging
from pathlib import Path
from typing import Annotated, Any

import pytest

from tests.support.web_applications import (
    DOCUMENTS,
    FAULTY,
    REASON_CODE,
    Counting,
    Fixed,
    Looping,
    asgi,
    engine,
    nothing_in_force,
)

fastapi = pytest.importorskip("fastapi", reason="fastapi is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

ALICE, BOB = {"User": "alice"}, {"User": "bob"}
MFA = {**ALICE, "Mfa": "1"}


def attributes(name: str) -> dict[str, str]:
    """A dependency with the path parameter `name`."""
    return {"status": DOCUMENTS[name]}


async def mfa(request: fastapi.Request) -> dict[str, bool]:
    """The context of a request."""
    return {"mfa": "Mfa" in request.headers}


def application(point: Any, ran: list[str] | None = None) -> Any:
    """An application over the documents; `ran` notes the path operations that ran."""
    from writ.fastapi import Access, Guard, Permitted

    app, ran = fastapi.FastAPI(), [] if ran is None else ran

    def user(request: fastapi.Request) -> str | None:
        return request.headers.get("User")

    def subject(name: Annotated[str | None, fastapi.Depends(user)]) -> Any:
        return name and {"type": "user", "id": name}

    guard = Guard(point, subject, mfa)
    reads = fastapi.Depends(guard.requires("read", "document", id="name"))
    changes = fastapi.Depends(guard.requires("change", "document", id="name", properties=attributes))
    changeable = fastapi.Depends(guard.permitted("change", "document", id=str, properties=attributes))

    @app.get("/documents/{name}", dependencies=[reads])
    def show(name: str) -> dict[str, str]:
        ran.append("show")
        return {"status": DOCUMENTS[name]}

    @app.put("/documents/{name}")
    async def change(name: str, access: Annotated[Access, changes]) -> Any:
        ran.append("change")
        return access.subject

    @app.get("/documents")
    async def page(permitted: Annotated[Permitted[str], changeable]) -> list[str]:
        return await permitted.among(DOCUMENTS)

    @app.get("/filter")
    async def of_query(permitted: Annotated[Permitted[str], changeable]) -> Any:
        return (await permitted.filter())["filter"]

    @app.get("/inside/{name}")
    async def inside(name: str, access: Annotated[Access, fastapi.Depends(guard.access)]) -> str:
        await access.check("read", "document", name)
        ran.append("inside")
        return name

    async def row(name: str) -> dict[str, str]:
        if name not in DOCUMENTS:
            raise fastapi.HTTPException(404)
        return {"name": name, "status": DOCUMENTS[name]}

    def resource(row: dict[str, str]) -> dict[str, Any]:
        return {"type": "document", "id": row["name"], "properties": {"status": row["status"]}}

    @app.get("/rows/{name}")
    def of_row(row: Annotated[dict[str, str], fastapi.Depends(guard.checked("change", row, resource))]) -> Any:
        ran.append("of_row")
        return row

    @app.get("/wrong/{name}", dependencies=[fastapi.Depends(guard.requires("read", "document"))])
    def wrong(name: str) -> str:
        ran.append("wrong")
        return name

    return app


@pytest.mark.parametrize(
    "kind",
    [lambda one: one, Counting, Looping, lambda one: lambda: one],
    ids=["engine", "blocking", "looping", "function"],
)
def test_each_kind_of_decision_point(kind: Any, tmp_path: Path) -> None:
    with asgi(application(kind(engine(tmp_path)))) as client:
        assert client.get("/documents/d1", headers=ALICE).json() == {"status": "draft"}
        assert client.get("/documents/d3", headers=BOB).status_code == 200
        assert client.get("/documents/d1", headers=BOB).status_code == 403
        assert client.put("/documents/d1", headers=MFA).json() == {"type": "user", "id": "alice"}
        assert client.get("/documents", headers=MFA).json() == ["d1", "d3"]
        assert client.get("/inside/d1", headers=ALICE).json() == "d1"
        assert client.get("/filter", headers=ALICE).json() == {"type": "const", "value": False}
        assert client.get("/rows/d1", headers=MFA).json() == {"name": "d1", "status": "draft"}


def test_what_a_dependency_loads_is_given_after_a_decision_about_it(tmp_path: Path) -> None:
    ran = list[str]()
    with asgi(application(engine(tmp_path), ran)) as client:
        assert client.get("/rows/d2", headers=MFA).headers[REASON_CODE] == "CONDITION_FAILED"
        assert client.get("/rows/d1", headers=BOB).status_code == 403
        assert client.get("/rows/d9", headers=MFA).status_code == 404
    assert ran == []


def test_a_refusal_is_403_with_the_reason_code(tmp_path: Path) -> None:
    ran = list[str]()
    with asgi(application(engine(tmp_path), ran)) as client:
        for path in ("/documents/d1", "/inside/d1"):
            refused = client.get(path, headers=BOB)
            assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "NO_POLICY_MATCH")
            assert refused.json()["detail"]["reason_code"] == "NO_POLICY_MATCH"
        for name, given in (("d2", MFA), ("d1", ALICE)):
            refused = client.put(f"/documents/{name}", headers=given)
            assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "CONDITION_FAILED")
        for path in ("/documents/d1", "/documents", "/filter"):
            assert client.get(path).headers[REASON_CODE] == "NO_SUBJECT"
        assert client.get(f"/documents/{'d' * 3000}", headers=ALICE).headers[REASON_CODE] == "REQUEST_REFUSED"
        assert client.get("/wrong/d1", headers=ALICE).status_code == 500
    assert ran == []


def test_a_page_is_one_batch_beside_the_event_loop(tmp_path: Path) -> None:
    point = Counting(engine(tmp_path))
    with asgi(application(point)) as client:
        assert client.get("/documents", headers=MFA).json() == ["d1", "d3"]
        assert client.get("/documents", headers=BOB).json() == []
    assert point.asked == ["decide_many", "decide_many"]
    assert "server" not in point.threads


@pytest.mark.parametrize("point", [*FAULTY.values(), nothing_in_force], ids=[*FAULTY, "follow"])
def test_without_a_decision_nothing_runs(point: Any, caplog: pytest.LogCaptureFixture) -> None:
    ran = list[str]()
    with asgi(application(point, ran)) as client, caplog.at_level(logging.ERROR, "writ.web"):
        for path in ("/documents/d1", "/documents", "/filter"):
            refused = client.get(path, headers=ALICE)
            assert (refused.status_code, refused.headers[REASON_CODE]) == (503, "NO_DECISION")
    assert ran == []
    assert len([one for one in caplog.records if one.name == "writ.web"]) == 3


def test_an_attribute_that_json_has_not_is_refused(tmp_path: Path) -> None:
    from writ.fastapi import Guard

    app = fastapi.FastAPI()
    guard = Guard(engine(tmp_path), lambda: {"type": "user", "id": "alice"})
    strange = guard.requires("change", "document", properties=lambda: {"status": b"draft"})

    @app.get("/{id}", dependencies=[fastapi.Depends(strange)])
    def show(id: str) -> str:
        return id

    with asgi(app) as client:
        assert client.get("/d1").headers[REASON_CODE] == "REQUEST_REFUSED"


def test_an_answer_of_a_page_may_be_short() -> None:
    """A batch with fewer answers than questions has none."""
    short = Fixed({"decision": True})
    short.decide_many = lambda requests: []  # type: ignore[method-assign]  # a faulty decision point
    with asgi(application(short)) as client:
        assert client.get("/documents", headers=ALICE).status_code == 503
