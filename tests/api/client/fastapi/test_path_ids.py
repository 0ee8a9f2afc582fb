"""The id that `writ.fastapi` asks about is the one that the path operation gets, however a path spells it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import httpx
import pytest
import writ.testing

from tests.support.web_applications import REASON_CODE, asgi

fastapi = pytest.importorskip("fastapi", reason="fastapi is not installed")
pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

MODEL = """\
model: 1
resource_types: [{id: document, actions: [read]}]
policies:
- {id: all, effect: ALLOW, resource_types: [{resource_type_id: document, actions: [read]}]}
- id: none
  effect: DENY
  resource_types: [{resource_type_id: document, actions: [read]}]
  conditions: {resource_attrs: [{key: id, op: in, value: ["7", c0ffee00-0000-4000-8000-000000000007]}]}
"""


class Key(pydantic.BaseModel):
    """The parameters of a path."""

    document: int = pydantic.Field(alias="key")


def application(folder: Path) -> Any:
    """An application with documents whose ids have types, on routes of each kind."""
    from writ.fastapi import Guard

    (folder / "model.yaml").write_text(MODEL)
    guard = Guard(writ.testing.engine(folder / "model.yaml"), lambda: {"type": "user", "id": "alice"})
    reads = fastapi.Depends(guard.requires("read", "document", id="key"))
    app, inner, outer = fastapi.FastAPI(), fastapi.APIRouter(), fastapi.APIRouter(prefix="/outer/{key}")

    @app.get("/int/{key}", dependencies=[reads])
    async def of_int(key: int) -> int:
        return key

    @app.get("/uuid/{key}", dependencies=[reads])
    async def of_uuid(document: Annotated[UUID, fastapi.Path(alias="key")]) -> UUID:
        return document

    async def found(key: int) -> int:
        return key

    @app.get("/below/{key}", dependencies=[reads])
    async def below(document: Annotated[int, fastapi.Depends(found)]) -> int:
        return document

    @app.get("/both/{key}", dependencies=[reads])
    async def both(key: str, document: Annotated[int, fastapi.Depends(found)]) -> int:
        return document

    @app.get("/model/{key}", dependencies=[reads])
    async def of_model(path: Annotated[Key, fastapi.Path()]) -> int:
        return path.document

    @inner.get("/included")
    async def included(key: int) -> int:
        return key

    outer.include_router(inner, dependencies=[reads])
    app.include_router(outer)
    return app


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with asgi(application(tmp_path_factory.mktemp("model"))) as client:
        yield client


@pytest.mark.parametrize("path", ["/int/{}", "/below/{}", "/both/{}", "/model/{}", "/outer/{}/included"])
def test_a_number_has_many_spellings(path: str, client: httpx.Client) -> None:
    assert client.get(path.format("8")).json() == 8
    assert client.get(path.format("7")).headers[REASON_CODE] == "DENY_OVERRIDE"
    expected = "REQUEST_REFUSED" if path == "/both/{}" else "DENY_OVERRIDE"
    for spelling in ("007", "+7", "%207", "7.0", "0_7"):
        refused = client.get(path.format(spelling))
        assert (refused.status_code, refused.headers.get(REASON_CODE)) == (403, expected), spelling
    assert client.get(path.format("seven")).status_code == 422


def test_a_uuid_has_many_spellings(client: httpx.Client) -> None:
    assert client.get("/uuid/C0FFEE00-0000-4000-8000-000000000008").status_code == 200
    denied = UUID("c0ffee00-0000-4000-8000-000000000007")
    for spelling in (str(denied), str(denied).upper(), denied.hex, f"%7B{denied}%7D", denied.urn):
        refused = client.get(f"/uuid/{spelling}")
        assert (refused.status_code, refused.headers.get(REASON_CODE)) == (403, "DENY_OVERRIDE"), spelling


@pytest.mark.parametrize("name", ["requires", "permitted", "checked"])
def test_a_dependency_without_its_call_is_an_error_at_the_start(name: str, tmp_path: Path) -> None:
    """Otherwise the query of a request would be its parameters, and nothing would be checked."""
    from writ.fastapi import Guard

    guard = Guard(lambda: None, lambda: None)  # type: ignore[arg-type, return-value]  # nothing is asked
    app = fastapi.FastAPI()
    with pytest.raises(fastapi.exceptions.FastAPIError, match="Function"):
        app.get("/", dependencies=[fastapi.Depends(getattr(guard, name))])(lambda: "open")
