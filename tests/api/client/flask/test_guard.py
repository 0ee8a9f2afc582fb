"""`writ.flask` in Flask's own server: the decorator, the check in a view, and a page in one batch."""

import logging
from pathlib import Path
from typing import Any

import pytest
import writ

from tests.support.web_applications import (
    DOCUMENTS,
    FAULTY,
    REASON_CODE,
    Counting,
    Fixed,
    Looping,
    engine,
    nothing_in_force,
    wsgi,
)

flask = pytest.importorskip("flask", reason="flask is not installed")


def application(point: Any, ran: list[str] | None = None) -> Any:
    """An application over the documents; `ran` notes the views that ran."""
    from writ.flask import Guard

    app, ran = flask.Flask("documents"), [] if ran is None else ran

    def subject() -> Any:
        name = flask.request.headers.get("User")
        return name and {"type": "user", "id": name}

    async def context() -> dict[str, bool]:
        return {"mfa": "Mfa" in flask.request.headers}

    guard = Guard(point, subject, context)

    def attributes(name: str) -> dict[str, str]:
        return {"status": DOCUMENTS[name]}

    @app.get("/documents/<name>")
    @guard.requires("read", "document", id="name")
    def show(name: str) -> dict[str, str]:
        ran.append("show")
        return {"status": DOCUMENTS[name]}

    @app.put("/documents/<name>")
    @guard.requires("change", "document", id=lambda name: name, properties=attributes)
    async def change(name: str) -> dict[str, str]:
        ran.append("change")
        return {"changed": name}

    @app.get("/documents")
    def page() -> list[str]:
        return guard.permitted("change", "document", DOCUMENTS, id=str, properties=attributes)

    @app.get("/filter")
    def of_query() -> Any:
        return guard.filter("read", "document")["filter"]

    @app.get("/wrong/<name>")
    @guard.requires("read", "document")
    def wrong(name: str) -> str:
        ran.append("wrong")
        return name

    return app


ALICE, BOB = {"User": "alice"}, {"User": "bob"}


def test_a_view_runs_if_the_subject_may(tmp_path: Path) -> None:
    with wsgi(application(engine(tmp_path))) as client:
        assert client.get("/documents/d1", headers=ALICE).json() == {"status": "draft"}
        assert client.get("/documents/d3", headers=BOB).status_code == 200
        assert client.put("/documents/d1", headers={**ALICE, "Mfa": "1"}).json() == {"changed": "d1"}


def test_a_refusal_is_403_with_the_reason_code(tmp_path: Path) -> None:
    ran = list[str]()
    with wsgi(application(engine(tmp_path), ran)) as client:
        refused = client.get("/documents/d1", headers=BOB)
        assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "NO_POLICY_MATCH")
        assert refused.json()["reason_code"] == "NO_POLICY_MATCH"
        assert refused.json()["error"]
        for name, given in (("d2", {**ALICE, "Mfa": "1"}), ("d1", ALICE)):
            refused = client.put(f"/documents/{name}", headers=given)
            assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "CONDITION_FAILED")
        nobody = client.get("/documents/d1")
        assert (nobody.status_code, nobody.headers[REASON_CODE]) == (403, "NO_SUBJECT")
        assert (client.get(f"/documents/{'d' * 3000}", headers=ALICE)).headers[REASON_CODE] == "REQUEST_REFUSED"
    assert ran == []


def test_a_page_is_one_batch(tmp_path: Path) -> None:
    point = Counting(engine(tmp_path))
    with wsgi(application(point)) as client:
        assert client.get("/documents", headers={**ALICE, "Mfa": "1"}).json() == ["d1", "d3"]
        assert client.get("/documents", headers=BOB).json() == []
    assert point.asked == ["decide_many", "decide_many"]


def test_a_filter_holds_now(tmp_path: Path) -> None:
    with wsgi(application(engine(tmp_path))) as client:
        assert client.get("/filter", headers=ALICE).json() == {"type": "const", "value": True}


@pytest.mark.parametrize("point", [*FAULTY.values(), nothing_in_force], ids=[*FAULTY, "follow"])
def test_without_a_decision_no_view_runs(point: Any, caplog: pytest.LogCaptureFixture) -> None:
    ran = list[str]()
    with wsgi(application(point, ran)) as client, caplog.at_level(logging.ERROR, "writ.web"):
        for path in ("/documents/d1", "/documents"):
            refused = client.get(path, headers=ALICE)
            assert (refused.status_code, refused.headers[REASON_CODE]) == (503, "NO_DECISION")
    assert ran == []
    assert len(caplog.records) >= 2


def test_an_item_without_decision_is_no_empty_page() -> None:
    """W4: an error item of a batch is a denial, but a page must not look empty because of it."""
    failed = Fixed({"decision": False, "context": {"error": {"status": 500, "message": "damaged"}}})
    malformed = Fixed({"decision": False, "context": {"error": {"status": 400, "message": "no id"}}})
    with wsgi(application(failed)) as client:
        assert client.get("/documents", headers=ALICE).status_code == 503
    with wsgi(application(malformed)) as client:
        assert client.get("/documents", headers=ALICE).json() == []


def test_no_filter_is_503() -> None:
    with wsgi(application(Fixed({"decision": True}))) as client:
        assert client.get("/filter", headers=ALICE).status_code == 503


def test_what_the_application_gives_wrong_fails_closed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    ran = list[str]()
    with wsgi(application(engine(tmp_path), ran)) as client:
        assert client.get("/wrong/d1", headers=ALICE).status_code == 500
    assert "has no argument `id`" in caplog.text
    with wsgi(application(Looping(engine(tmp_path)), ran)) as client:
        assert client.get("/documents/d1", headers=ALICE).status_code == 500
    assert "use `writ.Client`" in caplog.text
    assert ran == []


def test_another_decision_point_may_give_no_reason() -> None:
    with wsgi(application(Fixed({"decision": False}))) as client:
        assert client.get("/documents/d1", headers=ALICE).headers[REASON_CODE] == "DENIED"
    split = Fixed({"decision": False, "context": {"reason_code": "A\r\nSet-Cookie: a=b"}})
    with wsgi(application(split)) as client:
        assert client.get("/documents/d1", headers=ALICE).headers[REASON_CODE] == "DENIED"


def test_a_function_may_return_the_decision_point(tmp_path: Path) -> None:
    found: list[writ.Engine] = []
    app = application(lambda: found[0])
    found.append(engine(tmp_path))
    with wsgi(app) as client:
        assert client.get("/documents/d1", headers=ALICE).status_code == 200
