"""`/.well-known/authzen-configuration` over the wire (contract 4.4; authzen.md 82-90; W7)."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, running

PATH = "/.well-known/authzen-configuration"
PUBLIC = "https://pdp.example.com/authz"
CALLS = {
    "access_evaluation_endpoint": "evaluation",
    "access_evaluations_endpoint": "evaluations",
    "search_subject_endpoint": "search/subject",
    "search_resource_endpoint": "search/resource",
    "search_action_endpoint": "search/action",
    "writ_filter_endpoint": "search/resource",
}


def metadata(identifier: str) -> dict[str, str]:
    """All of the document: no `capabilities`, no `signed_metadata`, nothing empty (86, 88)."""
    return {"policy_decision_point": identifier} | {
        member: f"{identifier}/access/v1/{call}" for member, call in CALLS.items()
    }


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("discovery")
    with running(folder / "data", settings={"WRIT_PUBLIC_URL": PUBLIC}) as started:
        yield started


@pytest.fixture(scope="module")
def http(server: Server) -> Iterator[httpx.Client]:
    """A client without a credential."""
    with httpx.Client(base_url=server.url) as client:
        yield client


def test_the_document_is_that_of_the_public_url(http: httpx.Client, server: Server) -> None:
    answer = http.get(PATH)
    assert (answer.status_code, answer.headers["Content-Type"], answer.json()) == (
        200,
        "application/json",
        metadata(PUBLIC),
    )
    assert "WRIT_PUBLIC_URL" not in server.log


@pytest.mark.parametrize("header", ["Host", "X-Forwarded-Host", "Forwarded", "X-Forwarded-Proto"])
def test_no_header_has_a_part_in_it(server: Server, header: str) -> None:
    with RawConnection(server.host, server.port) as connection:
        connection.send(request("GET", PATH, headers={header: "evil.example.com"}))
        assert connection.answer().json == metadata(PUBLIC)
        connection.send(request("GET", f"http://evil.example.com{PATH}"))
        assert connection.answer().json == metadata(PUBLIC)


def test_a_named_environment_has_its_own_whether_there_is_one_or_not(http: httpx.Client, server: Server) -> None:
    """The document of a name is the same before and after there is an environment of that name."""
    before = http.get(f"{PATH}/environments/staging")
    with server.client() as admin:
        assert admin.post("/v1/environments", json={"id": "staging"}).status_code == 201
    after = http.get(f"{PATH}/environments/staging")
    assert before.json() == after.json() == metadata(f"{PUBLIC}/environments/staging")
    assert before.headers["ETag"] == after.headers["ETag"] != http.get(PATH).headers["ETag"]


def test_what_no_environment_can_be_called_is_404(http: httpx.Client) -> None:
    for name in ("a%2Fb", "%22", "-a", "x" * 65):
        answer = http.get(f"{PATH}/environments/{name}")
        assert answer.status_code == 404, name
        assert "there can be no environment" in answer.json()["error"]
    assert http.get(f"{PATH}/environments/").status_code == 404
    assert http.get(f"{PATH}/staging").status_code == 404


def test_the_endpoints_are_served(http: httpx.Client) -> None:
    """Below the public URL, whose path a proxy takes away; without a credential each is 401, not 404."""
    for environment in ("", "/environments/default"):
        for url in list(http.get(PATH + environment).json().values())[1:]:
            assert http.post(url.removeprefix(PUBLIC), json={}).status_code == 401


def test_it_may_be_kept_and_asked_for_again(http: httpx.Client) -> None:
    for path in (PATH, f"{PATH}/environments/default"):
        first = http.get(path)
        tag = first.headers["ETag"]
        for sent in (tag, f"W/{tag}", f'"other", {tag}', "*"):
            again = http.get(path, headers={"If-None-Match": sent})
            assert (again.status_code, again.content) == (304, b"")
            for header in ("ETag", "Cache-Control"):
                assert again.headers[header] == first.headers[header]
        assert first.headers["Cache-Control"] == "public, max-age=3600"
        assert http.get(path, headers={"If-None-Match": '"other"'}).json() == first.json()
        bad = http.get(path, headers={"If-None-Match": "bare"})
        assert (bad.status_code, bad.headers.get("Cache-Control")) == (400, None)


def test_get_and_head_are_all(http: httpx.Client) -> None:
    head = http.head(PATH)
    assert (head.status_code, head.headers["ETag"]) == (200, http.get(PATH).headers["ETag"])
    refused = http.post(PATH, json={})
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET, HEAD")


def test_without_a_setting_it_is_the_address_with_a_warning(tmp_path: Path) -> None:
    with running(tmp_path / "data") as started:
        assert httpx.get(started.url + PATH).json() == metadata(started.url)
        assert f"`WRIT_PUBLIC_URL` is not set, so clients are told `{started.url}`" in started.log
        assert KEY not in started.log


def test_one_slash_at_the_end_stays_in_the_identifier_alone(tmp_path: Path) -> None:
    """It is what clients start from, byte for byte (85)."""
    with running(tmp_path / "data", settings={"WRIT_PUBLIC_URL": "https://h/"}) as started:
        found = httpx.get(started.url + PATH).json()
        assert found == metadata("https://h") | {"policy_decision_point": "https://h/"}
        assert httpx.get(f"{started.url}{PATH}/environments/x").json() == metadata("https://h/environments/x")
