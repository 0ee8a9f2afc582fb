"""The example configurations: they can be read, and name each header that matters. Some gateways are never run."""

import re
from typing import Any

import pytest
import yaml
from writ.api.endpoints.gateway.contracts.all_contracts import CONTRACTS

from tests.support.gateways import BACKEND, EXAMPLES, GRPC, KEY_PLACE, PRODUCTS, WRIT
from tests.support.pages import page

FILES = {
    GRPC: "envoy-grpc.yaml",
    "apisix": "apisix.yaml",
    "caddy": "Caddyfile",
    "envoy": "envoy.yaml",
    "nginx": "nginx.conf",
    "traefik": "traefik.yaml",
}
TOLD = ("X-Writ-Subject-Id", "X-Writ-Policy-Id", "X-Writ-Team")
"""What the settings of the page tell the backend."""

CLEARED = (
    "X-Writ-Authorization",
    "X-Writ-Subject",
    "X-Original-Method",
    "X-Original-URI",
    "X-Original-URL",
    "X-Original-Host",
    "X-Rewrite-URL",
    "X-Forwarded-Method",
    "X-Forwarded-Uri",
    "X-HTTP-Method-Override",
    "Forwarded",
)
"""What no client may tell."""

OTHERS = ("X_writ_team", "X.Writ.Team", "X-Writ-Anything", "X_Original-URI", "X-Forwarded.For", "X-Forwarded-Protocol")
"""What no client may tell either: other spellings, and names that no example lists."""

KEPT = ("Authorization", "X-Writer", "A-X-Writ-Team", "X-Forwarded-Proto")
"""What stays: `Authorization` is the user's, and gateways set the scheme."""

each_example = pytest.mark.parametrize("name", CONTRACTS)


def text(name: str) -> str:
    return (EXAMPLES / FILES[name]).read_text()


def loaded(name: str) -> Any:
    return yaml.safe_load(text(name))


@each_example
def test_an_example_names_writ_the_key_the_backend_and_what_writ_tells(name: str) -> None:
    found = text(name)
    assert f"/gateway/{name}" in found
    assert found.count(f"Bearer {KEY_PLACE}") == 1
    if name == "envoy":
        assert {"port_value: 8080", "port_value: 9000"} <= set(re.findall(r"port_value: \d+", found))
    else:
        assert WRIT in found
        assert BACKEND in found
    for header in TOLD:
        assert header.lower() in found.lower()


def test_every_example_stands_on_the_page_and_says_whether_it_is_run() -> None:
    text = page("api/GATEWAYS.md").text
    rows = re.findall(r"^\| .* \| \[(\S+)\]\(endpoints/gateway/examples/(\S+)\) \| (.*?) \|$", text, re.M)
    assert [shown for shown, _, _ in rows] == [file for _, file, _ in rows]
    assert {file for file, _, _ in rows} == {*FILES.values()} == {path.name for path in EXAMPLES.iterdir()}
    assert FILES.keys() == {*CONTRACTS, GRPC}
    tested = {file for file, _, tested in rows if tested != "not run by the tests"}
    assert tested == {product.example for product in PRODUCTS.values()}
    paths = re.findall(r"^\| .*? \| `/gateway/(\w+)`.* \| \[(\S+)\]", text, re.M)
    assert dict(paths) == {name: FILES[name] for name in CONTRACTS}


@pytest.mark.parametrize("name", ["envoy", GRPC])
def test_envoy_removes_headers_before_it_asks(name: str) -> None:
    (listener,) = loaded(name)["static_resources"]["listeners"]
    manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
    mutation, authorization, _ = (one["typed_config"] for one in manager["http_filters"])
    mutations = mutation["mutations"]["request_mutations"]
    patterns = [one["remove_on_match"]["key_matcher"]["safe_regex"]["regex"] for one in mutations[:-1]]

    def is_removed(name: str) -> bool:
        return any(re.fullmatch(pattern, name.lower()) for pattern in patterns)

    assert all(map(is_removed, (*CLEARED, *TOLD, *OTHERS)))
    assert not any(map(is_removed, (*KEPT, ":path")))
    assert authorization["failure_mode_allow"] is False
    if name == GRPC:
        assert authorization["encode_raw_headers"] is True
        metadata = [{"key": "x-writ-authorization", "value": f"Bearer {KEY_PLACE}"}]
        assert authorization["grpc_service"]["initial_metadata"] == metadata
        return
    response = authorization["http_service"]["authorization_response"]["allowed_upstream_headers"]["patterns"]
    assert {one["exact"] for one in response} == {header.lower() for header in TOLD}


def test_traefik_removes_headers_before_it_asks_and_hides_the_key() -> None:
    http = loaded("traefik")["http"]
    names = http["routers"]["all"]["middlewares"]
    prepare, writ, hide = (http["middlewares"][name] for name in names)
    cleared = prepare["headers"]["customRequestHeaders"]
    key = cleared.pop("X-Writ-Authorization")
    assert key == f"Bearer {KEY_PLACE}"
    assert {*cleared.values()} == {""}
    assert "Connection" in cleared
    is_removed = re.compile(writ["forwardAuth"]["authResponseHeadersRegex"]).search
    by_traefik = {"X-Forwarded-Uri", "X-Forwarded-Method"}
    assert all(is_removed(name) for name in {*CLEARED, *TOLD, *OTHERS} - by_traefik)
    assert not any(map(is_removed, (*KEPT, "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port")))
    assert writ["forwardAuth"]["trustForwardHeader"] is False
    assert writ["forwardAuth"]["authRequestHeaders"] == ["Authorization", "X-Writ-Authorization"]
    assert writ["forwardAuth"]["authResponseHeaders"] == [*TOLD]
    assert hide["headers"]["customRequestHeaders"] == {"X-Writ-Authorization": ""}


def test_nginx_passes_a_list_of_headers_and_no_other() -> None:
    places = re.split(r"\n    location ", text("nginx"))[1:]
    assert all("proxy_pass_request_headers off;" in place for place in places)
    names = {name for place in places for name in re.findall(r"proxy_set_header (\S+) \$http_", place)}
    assert not {name for name in names if name.lower().startswith(("x-writ", "x-forwarded", "x-original", "forwarded"))}
    assert not {*CLEARED, "Connection", "Upgrade", "X-Real-IP"} & names


def test_apisix_sends_writ_no_header_of_the_client_but_the_token() -> None:
    """Its `forward-auth` replaces what `upstream_headers` names. To remove these later would take Writ's own away."""
    (route,) = loaded("apisix")["routes"]
    plugins = route["plugins"]
    removed = plugins["proxy-rewrite"]["headers"]["remove"]
    asks = plugins["forward-auth"]
    assert {*CLEARED} <= {*removed}
    assert not {*TOLD} & {*removed}
    assert asks["request_headers"] == ["Authorization"]
    assert asks["extra_headers"] == {"X-Writ-Authorization": f"Bearer {KEY_PLACE}"}
    assert asks["upstream_headers"] == [*TOLD]
    assert (asks["allow_degradation"], asks["status_on_error"]) == (False, 403)
