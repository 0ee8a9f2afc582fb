"""`requires` of `writ.flask` above the route guards nothing: such a view does not run."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.web_applications import engine

flask = pytest.importorskip("flask", reason="flask is not installed")


def application(folder: Path, ran: list[str]) -> Any:
    """An application whose guard is known to no one but its views. `ran` notes the views that ran."""
    from writ.flask import Guard

    app, part = flask.Flask("documents"), flask.Blueprint("part", "part")
    guard = Guard(engine(folder), lambda: {"type": "user", "id": "bob"})

    @guard.requires("read", "document")
    @app.get("/above/<id>")
    def above(id: str) -> str:
        ran.append("above")
        return id

    @guard.requires("read", "document")
    @part.get("/part/<id>")
    async def in_part(id: str) -> str:
        ran.append("part")
        return id

    @app.get("/below/<id>")
    @guard.requires("read", "document")
    @app.get("/between/<id>", endpoint="between")
    def below(id: str) -> str:
        ran.append("below")
        return id

    app.register_blueprint(part)
    return app


def test_a_view_whose_guard_stands_above_its_route_does_not_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ran = list[str]()
    client = application(tmp_path, ran).test_client()
    for path in ("/above/d1", "/part/d1", "/between/d1", "/above/d3"):
        assert client.get(path).status_code == 500, path
    assert caplog.text.count("`requires` stands above the route") == 4
    assert ran == []
    assert client.get("/below/d1").status_code == 403
    assert client.get("/below/d3").status_code == 200
    assert ran == ["below"]
    assert client.get("/nowhere").status_code == 404
