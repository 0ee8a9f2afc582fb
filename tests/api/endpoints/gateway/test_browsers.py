"""Preflights and public pages at real gateways, with the model and the lines of the page."""

import json
import textwrap
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.api.endpoints.gateway.test_real_gateways import SETTINGS, Behind, got, sent, served
from tests.support.console import chromium
from tests.support.gateways import PRODUCTS, gateway
from tests.support.pages import page
from tests.support.ports import free_port
from tests.support.raw_http import Answer

pytestmark = pytest.mark.gateway

PAGE = page("api/BROWSERS.md")
APP, OTHER = "https://app.example", "https://evil.example"
PREFLIGHT = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization"}
NO_CREDENTIAL: tuple[dict[str, str], ...] = ({}, {"Authorization": "Basic YTpi"})
BROKEN = ("Bearer", "Bearer a.b.c")


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    with served(tmp_path_factory.mktemp("behind")) as found, found.server.client() as admin:
        text = PAGE.marked("file: public.writ")
        headers = {"Content-Type": "application/vnd.writ.policy"}
        answer = admin.put("/v1/environments/default/model", content=text, headers=headers)
        assert answer.is_success, answer.text
        admin.put(SETTINGS, json=found.settings() | named()).raise_for_status()
        yield found


def named() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PAGE.marked("the settings name a visitor"))
    return found


@pytest.fixture(scope="module", params=PRODUCTS)
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    if PRODUCTS[found].program() is None:
        pytest.skip(f"{found} is not installed")
    return found


def lines(mark: str, indent: str) -> str:
    return textwrap.indent(PAGE.marked(mark), indent)


def answering(name: str) -> Mapping[str, str]:
    """What to swap in the example of a gateway, so that it answers preflights."""
    match name:
        case "nginx":
            top, first = "upstream writ {\n", "    location / {\n"
            return {
                top: PAGE.marked("nginx knows preflights") + top,
                first: first + lines("nginx answers preflights", " " * 8),
            }
        case "caddy":
            return {"\troute {\n": "\troute {\n" + lines("caddy answers preflights", "\t\t")}
        case "traefik":
            first, list_of = "  middlewares:\n", "middlewares: ["
            return {first: first + lines("traefik answers preflights", " " * 4), list_of: f"{list_of}browsers, "}
        case _:
            first, host = f"{' ' * 16}http_filters:\n", f'{" " * 22}domains: ["*"]\n'
            return {
                first: first + lines("envoy answers preflights", " " * 18),
                host: host + lines("envoy knows the origin", " " * 22),
            }


def test_the_policies_decide_about_preflights_and_public_pages(name: str, behind: Behind, tmp_path: Path) -> None:
    port = free_port()
    with gateway(name, tmp_path / name, behind.filled(name, port)):
        for fields in NO_CREDENTIAL:
            for method, target in (("GET", "/public/p1"), ("OPTIONS", "/documents/d1")):
                headers = got(sent(port, method, target, Origin=APP, **PREFLIGHT, **fields))
                told = headers["x-writ-subject-id"], headers["origin"], headers["access-control-request-method"]
                assert told == (["anyone"], [APP], ["PUT"])
            assert sent(port, "GET", "/documents/d1", **fields).status == 401
            assert sent(port, "PUT", "/public/p1", **fields).status == 401
        for broken in (*BROKEN, behind.token(aud="other")):
            for method, target in (("GET", "/public/p1"), ("OPTIONS", "/documents/d1"), ("GET", "/documents/d1")):
                assert sent(port, method, target, Authorization=broken).status == 401, (method, broken)
        for method, target in (("GET", "/public/p1"), ("OPTIONS", "/documents/d1"), ("GET", "/documents/d1")):
            assert got(sent(port, method, target, Authorization=behind.token()))["x-writ-subject-id"] == ["alice"]
        for target in ("/public/../documents/d1", "/public/%2e%2e/documents/d1", "/public//documents/d1"):
            answer = sent(port, "GET", target)
            assert answer.status in (400, 401, 403), target


def test_the_gateway_answers_preflights(name: str, behind: Behind, tmp_path: Path) -> None:
    port = free_port()
    with behind.server.client() as admin:
        admin.put(SETTINGS, json=behind.settings()).raise_for_status()
        try:
            with gateway(name, tmp_path / name, behind.filled(name, port), swaps=answering(name)):
                _answers(name, port, behind)
        finally:
            admin.put(SETTINGS, json=behind.settings() | named()).raise_for_status()


def test_a_script_of_the_allowed_origin_gets_its_answers(name: str, behind: Behind, tmp_path: Path) -> None:
    """A real browser sends the preflights. Its page comes from the backend, whose port makes another origin."""
    port, origin = free_port(), f"http://127.0.0.1:{behind.backend}"
    swaps = {old: new.replace(APP, origin) for old, new in answering(name).items()}
    with gateway(name, tmp_path / name, behind.filled(name, port), swaps=swaps), chromium() as browser:
        tab = browser.new_page()
        try:
            tab.goto(origin)
            for token, status in ((behind.token(), 200), ("Bearer x", 401)):
                asked = {"url": f"http://127.0.0.1:{port}/documents/d1", "token": token}
                found = tab.evaluate(_FETCH, asked)
                assert found["status"] == status, found
                assert status != 200 or ["x-writ-subject-id", "alice"] in _lowered(found["body"])
        finally:
            tab.close()


def test_nginx_signs_in_all_others(behind: Behind, tmp_path: Path) -> None:
    """A name without a checked password is no user, although nginx has it in `$remote_user`."""
    if PRODUCTS["nginx"].program() is None:
        pytest.skip("nginx is not installed")
    (tmp_path / "users").write_text("alice:{PLAIN}secret\n")
    port, top = free_port(), "upstream writ {\n"
    first, second = "    location / {\n", "    location = /writ-decides {\n"
    signing = PAGE.marked("nginx signs others in").replace("/etc/nginx/users", str(tmp_path / "users"))
    swaps = {
        top: PAGE.marked("nginx leaves requests out") + top,
        first: first + signing,
        second: second + PAGE.marked("nginx names only who is signed in"),
    }

    def asked(method: str, target: str, login: str = "") -> list[str] | int:
        fields = {"Authorization": f"Basic {b64encode(login.encode()).decode()}"} if login else {}
        answer = sent(port, method, target, **fields)
        return got(answer)["x-writ-subject-id"] if answer.status == 200 else answer.status

    with behind.server.client() as admin:
        by_header = behind.settings() | named() | {"subject": {"header": "X-Writ-Subject"}}
        admin.put(SETTINGS, json=by_header).raise_for_status()
        try:
            with gateway("nginx", tmp_path / "nginx", behind.filled("nginx", port), swaps=swaps):
                for login in ("", "alice:wrong", "alice:secret", "shop alice:x"):
                    assert asked("OPTIONS", "/documents/d1", login) == ["anyone"]
                    assert asked("GET", "/public/p1", login) == ["anyone"]
                    assert asked("GET", "/public/p1/d1", login) == 401
                assert asked("GET", "/documents/d1", "alice:secret") == ["alice"]
                assert [asked("GET", "/documents/d1", login) for login in ("", "alice:wrong")] == [401, 401]
        finally:
            admin.put(SETTINGS, json=behind.settings() | named()).raise_for_status()


_FETCH = """async ({url, token}) => {
    const answer = await fetch(url, {method: "PUT", headers: {Authorization: token}});
    return {status: answer.status, body: await answer.text()};
}"""


def _lowered(body: str) -> list[list[str]]:
    return [[name.lower(), value] for name, value in json.loads(body)["headers"]]


def _answers(name: str, port: int, behind: Behind) -> None:
    answer = sent(port, "OPTIONS", "/documents/d1", Origin=APP, **PREFLIGHT)
    assert (answer.status in (200, 204), answer.headers["access-control-allow-origin"], answer.body) == (True, APP, b"")
    assert {one.strip() for one in answer.headers["access-control-allow-methods"].split(",")} == {"GET", "PUT"}
    allowed = {one.strip().lower() for one in answer.headers["access-control-allow-headers"].split(",")}
    assert (allowed, answer.headers["access-control-max-age"]) == ({"authorization", "content-type"}, "600")
    other = sent(port, "OPTIONS", "/documents/d1", Origin=OTHER, **PREFLIGHT)
    assert (other.status, *_allowed(other)) == (200 if name == "traefik" else 401, None)
    for fields in ({}, {"Origin": APP}, PREFLIGHT):
        assert sent(port, "OPTIONS", "/documents/d1", **fields).status == 401, fields
    for origin, told in ((APP, APP), (OTHER, None)):
        refused = sent(port, "GET", "/documents/d1", Origin=origin)
        assert (refused.status, *_allowed(refused)) == (401, told)
        passed = sent(port, "GET", "/documents/d1", Origin=origin, Authorization=behind.token())
        assert (got(passed)["x-writ-subject-id"], *_allowed(passed)) == (["alice"], told)


def _allowed(answer: Answer) -> list[str | None]:
    return [answer.headers.get("access-control-allow-origin") or None]
