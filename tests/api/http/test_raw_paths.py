"""Paths are split as raw bytes and each segment is decoded once (design: "The server")."""

import pytest
from falcon import testing
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.api.http.raw_paths import canonical, segment
from writ.api.http.rejections import UndecodablePath
from writ.api.service.routes.all_routes import ACCESS

from tests.support.managed import ROOT, Managed

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20) | st.sampled_from(
    ["..", ".", "us/er", "%2F", "a%zz", "a:batch", "model", "?", "#", "a b", "\0", "é", "//", "+", "\\"]
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Managed:
    return Managed(tmp_path_factory.mktemp("paths"))


@given(TEXTS, TEXTS)
@settings(max_examples=90, deadline=None)
def test_whatever_the_key_its_location_leads_to_it(shared: Managed, type: str, id: str) -> None:
    body = {"type": type, "id": id}
    made = shared.simulate_post(f"{ROOT}/subjects", json=body)
    path = made.headers["Location"] if made.status_code == 201 else f"{ROOT}/subjects/{segment(type)}/{segment(id)}"
    assert made.status_code in (201, 409)
    assert shared.simulate_get(path).json == body


def test_an_escaped_slash_is_part_of_the_segment(shared: Managed) -> None:
    shared.simulate_post(f"{ROOT}/subjects", json={"type": "us/er", "id": "x"})
    assert shared.simulate_get(f"{ROOT}/subjects/us%2Fer/x").json["type"] == "us/er"
    assert shared.simulate_get(f"{ROOT}/subjects/us%2fer/%78").json["type"] == "us/er"
    assert shared.simulate_get(f"{ROOT}/subjects/us/er/x").status_code == 404
    assert shared.simulate_get(f"{ROOT}/subjects/us%252Fer/x").status_code == 404, "decoded once"
    assert shared.simulate_get("/v1%2Fenvironments").status_code == 404


def test_escapes_that_need_not_be_are_the_same_path(shared: Managed) -> None:
    assert shared.simulate_get("/v1/%65nvironments/d%65fault/%72oles").status_code == 200
    assert (
        shared.simulate_post("/v1/environments/default/roles%3Abatch", json={"items": [{"id": "b"}]}).status_code == 201
    )


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{ROOT}/roles/%zz", 400),
        (f"{ROOT}/roles/%", 400),
        (f"{ROOT}/roles/%e", 400),
        (f"{ROOT}/roles/%ff", 400),
        (f"{ROOT}/roles/%ED%A0%80", 400),
        (f"{ROOT}/roles/%C0%AF", 400),
        (f"{ROOT}/roles/", 404),
        (f"{ROOT}/subjects//x", 404),
        (f"{ROOT}/subjects/x/", 404),
        ("/v1/environments//roles", 404),
        (f"/{ROOT}/roles", 404),
        (f"{ROOT}/roles/..", 404),
        (f"{ROOT}/roles/../roles", 404),
        (f"{ROOT}/roles/%00", 404),
        (f"{ROOT}/roles/" + "x" * 3_000, 404),
    ],
)
def test_odd_paths(shared: Managed, path: str, status: int) -> None:
    answer = shared.simulate_get(path)
    assert (answer.status_code, answer.json.keys()) == (status, {"error"})


def test_what_is_deeper_than_every_route_is_not_even_decoded(shared: Managed) -> None:
    """Nobody makes the service work through thousands of segments; the deepest route itself is served."""
    anybody = testing.TestClient(shared.app)
    route = max(ACCESS, key=lambda route: route.count("/"))
    deepest, method = route.format(env="%65", type="t", id="i", member="m"), next(iter(ACCESS[route].scopes))
    for path, status in ((deepest, 401), (f"{deepest}%zz", 400), (f"{deepest}/%zz", 404), ("/%zz" * 8_000, 404)):
        assert anybody.simulate_request(method, path).status_code == status, path[:100]


@pytest.mark.parametrize("origin", ["http://elsewhere", "HTTPS://a:1", "http://"])
def test_a_whole_url_is_its_path(shared: Managed, origin: str) -> None:
    """RFC 9112, 3.2.2."""
    for path, status in ((f"{ROOT}/roles", 200), (f"{ROOT}/roles/http:%2F%2Fx", 404), ("", 404), ("//roles", 404)):
        scope = {"raw_path": f"{origin}{path}".encode()}
        assert shared.simulate_get("/", extras=scope).status_code == status, path


@given(st.binary(max_size=12))
def test_any_bytes_are_a_canonical_path_or_none(raw: bytes) -> None:
    try:
        path = canonical(raw)
    except UndecodablePath:
        return
    assert canonical(path.encode()) == path
