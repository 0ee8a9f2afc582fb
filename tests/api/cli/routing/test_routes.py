"""`writ routes`: which route matches a request or why none does, and routes from an OpenAPI document."""

import json
from pathlib import Path
from typing import Any

import pytest
from writ.api.cli.routing.match_route import RoutedRequest, split_url
from writ.api.cli.routing.openapi_routes import BadOpenApi, proposed
from writ.api.service.routes.all_routes import openapi_document
from writ.api.store.store import Store
from writ.bundles.zones import zone_names
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.bundling import bundle_file
from tests.support.command import writ
from tests.support.stored import put

PETSTORE = Path(__file__).with_name("petstore.yaml")
ROUTE = {"methods": ["GET"], "resource_type": "document", "action": "read"}
MODEL: dict[str, Any] = {
    "resource_types": [{"id": "document", "actions": ["read", "update"]}],
    "routes": [
        ROUTE | {"id": "new", "path": "/documents/new", "resource_id": "template"},
        ROUTE
        | {
            "id": "one",
            "path": "/documents/{id}",
            "external_id": "DOC-{id}",
            "attributes": {"page": "query:page", "tenant": "header:X-Tenant", "name": "{id}"},
        },
        ROUTE | {"id": "api", "path": "/{id}", "hosts": ["*.example"]},
    ],
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle_file(MODEL, tmp_path_factory.mktemp("routes") / "model.bundle")


def asked(*arguments: str | Path) -> tuple[int, dict[str, Any]]:
    """The exit code and the answer of `writ routes test`."""
    done = writ("routes", "test", *arguments, "--format", "json")
    answer: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, answer


def test_the_first_route_that_matches_is_shown(bundle: Path) -> None:
    code, answer = asked("GET", "/documents/d1?page=2", bundle, "--header", "X-Tenant: acme")
    assert (code, answer) == (
        0,
        {
            "matches": True,
            "route": "one",
            "path": "/documents/{id}",
            "action": "read",
            "resource": {"type": "document", "external_id": "DOC-d1"},
            "attributes": {"name": "d1", "page": "2", "tenant": "acme"},
        },
    )
    assert asked("GET", "/documents/new", bundle)[1]["route"] == "new"
    assert asked("GET", "https://a.EXAMPLE:444/x", bundle)[1]["route"] == "api"


def test_as_text(bundle: Path) -> None:
    done = writ("routes", "test", "GET", "/documents/new", bundle)
    assert done.stdout.decode().splitlines()[0].split() == ["route", "new"]
    assert '{"type":"document","id":"template"}' in done.stdout.decode()


@pytest.mark.parametrize(
    ("method", "url", "reason"),
    [
        (
            "PUT",
            "/documents/d1",
            "no route matches PUT there, but routes match the path with other methods: `one` (GET)",
        ),
        ("GET", "/else/where", "no route matches the host and the path"),
        ("GET", "https://other.host/x", "no route matches the host and the path"),
        ("GET", "/documents/a%2fb", "no gateway passes this URL: it has an encoded `/` or `.`"),
        ("GET", "/documents/d1?page=1&page=2", "no gateway passes this URL: it has the parameter 'page' twice"),
        ("GET", "documents", "no gateway passes this URL: it has a target that does not begin with `/`"),
    ],
)
def test_why_none_matches(bundle: Path, method: str, url: str, reason: str) -> None:
    assert asked(method, url, bundle) == (1, {"matches": False, "reason": reason})


def test_a_store_answers_too(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "data")
    put(store, MODEL)
    store.close()
    assert asked("GET", "/documents/d1", "--data", tmp_path / "data")[1]["route"] == "one"
    done = writ("routes", "test", "GET", "/x", "--data", tmp_path / "data", "--env", "nowhere")
    assert (done.returncode, done.stderr) == (2, b"Error: there is no environment `nowhere`\n")
    assert writ("routes", "test", "GET", "/x", "--data", tmp_path / "none").returncode == 2


def test_a_file_that_is_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    done = writ("routes", "test", "GET", "/x", tmp_path / "x")
    assert done.returncode == 2
    assert b"not a Writ bundle" in done.stderr


def test_a_url_is_split_without_reading_more_into_it() -> None:
    assert split_url("https://a.example?x=1") == RoutedRequest("a.example", "/?x=1")
    assert split_url("http://[::1]:80/a") == RoutedRequest("[::1]", "/a")
    assert split_url("https://a.example//a/../b") == RoutedRequest("a.example", "//a/../b")
    assert split_url("ftp://a.example/") == RoutedRequest("", "ftp://a.example/")


def checked(document: dict[str, Any]) -> list[str]:
    """The codes of what `writ check` finds in a proposal."""
    loaded = load([Source("routes.json", json.dumps(document).encode())], zone_names())
    assert loaded.model is not None, loaded.diagnostics
    return [one.code for one in loaded.diagnostics]


def test_routes_from_an_openapi_document(tmp_path: Path) -> None:
    done = writ("routes", "import", PETSTORE, "-o", tmp_path / "routes.json")
    assert done.returncode == 0
    assert done.stderr.decode().startswith("left out /reports/{name}.pdf: ")
    document = json.loads((tmp_path / "routes.json").read_text())
    assert checked(document) == []
    hosts, photos = ["animals.example", "eu.animals.example"], "photos-v1-pets-pet_id-photos"
    assert [
        (one["id"], one["methods"], one["path"], one["resource_type"], one.get("resource_id", "{id}"), one["action"])
        for one in document["routes"]
        if one.get("hosts") == hosts
    ] == [
        ("read-v1-owners-owner-pets-id", ["GET"], "/v1/owners/{owner}/pets/{id}", "pets", "{id}", "read"),
        ("create-v1-pets", ["POST"], "/v1/pets", "pets", "all", "create"),
        ("list-v1-pets", ["GET"], "/v1/pets", "pets", "all", "list"),
        ("list-v1-pets-mine", ["GET"], "/v1/pets/mine", "mine", "all", "list"),
        ("delete-v1-pets-pet_id", ["DELETE"], "/v1/pets/{pet_id}", "pets", "{pet_id}", "delete"),
        ("read-v1-pets-pet_id", ["GET", "HEAD"], "/v1/pets/{pet_id}", "pets", "{pet_id}", "read"),
        ("update-v1-pets-pet_id", ["PATCH", "PUT"], "/v1/pets/{pet_id}", "pets", "{pet_id}", "update"),
        (
            "create-photos-v1-pets-pet_id-photos",
            ["POST"],
            "/v1/pets/{pet_id}/photos",
            "pets",
            "{pet_id}",
            "create-photos",
        ),
        (f"read-{photos}", ["GET"], "/v1/pets/{pet_id}/photos", "pets", "{pet_id}", "read-photos"),
    ]
    assert [one["path"] for one in document["routes"] if "hosts" not in one] == ["/status"]
    assert {one["id"] for one in document["resource_types"]} == {"mine", "pets", "status"}


def test_a_proposal_in_yaml_is_a_model(tmp_path: Path) -> None:
    (tmp_path / "routes.yaml").write_bytes(writ("routes", "import", PETSTORE).stdout)
    done = writ("check", tmp_path / "routes.yaml")
    assert (done.returncode, done.stdout) == (0, b""), done.stderr


def test_writs_own_api_becomes_routes() -> None:
    document = proposed(json.loads(json.dumps(openapi_document()))).document
    assert len(document["routes"]) > 50
    assert "unreachable-route" not in checked(document)


@pytest.mark.parametrize(
    "text", ["{}", "[]", '{"swagger": "2.0"}', '{"openapi": "3.0.0"}', '{"openapi": "3.1.0", "paths": []}']
)
def test_what_is_no_openapi_document(text: str) -> None:
    with pytest.raises(BadOpenApi):
        proposed(json.loads(text))


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("a: [")
    (tmp_path / "old.json").write_text('{"swagger": "2.0"}')
    assert writ("routes", "import", tmp_path / "none").returncode == 2
    assert writ("routes", "import", tmp_path / "bad.yaml").returncode == 2
    done = writ("routes", "import", tmp_path / "old.json")
    assert (done.returncode, b"not an OpenAPI 3 document" in done.stderr) == (1, True)
