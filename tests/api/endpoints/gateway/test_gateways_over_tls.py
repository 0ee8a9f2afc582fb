"""Gateways ask over TLS, with the lines of the page in their examples."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import pytest

from tests.api.endpoints.gateway.test_real_gateways import Behind, name, sent, served  # noqa: F401  # a fixture
from tests.support.certificates import Authority
from tests.support.gateways import GRPC, gateway
from tests.support.pages import page
from tests.support.ports import free_port

pytestmark = pytest.mark.gateway

PLACES = {
    "nginx": "        proxy_http_version 1.1;\n        proxy_connect_timeout 1s;\n",
    "caddy": "\t\t\t\tdial_timeout 1s\n",
    "envoy": "    - name: writ\n      connect_timeout: 1s\n",
    GRPC: "    - name: writ\n      connect_timeout: 1s\n",
    "traefik": "        trustForwardHeader: false\n",
}
"""The lines of the examples, behind which those of the page go."""

SCHEMES = {"nginx": "proxy_pass http://writ", "traefik": "address: http:"}
"""What becomes `https`."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def behind(folder: Path) -> Iterator[Behind]:
    """A service that accepts only clients with a certificate."""
    authority = Authority(folder, "authority")
    own, pair = authority.pair("gateway"), authority.pair("server")
    options = (*pair.options, "--tls-client-ca", str(authority.file))
    with served(folder, *options, trust=authority.trust(own)) as found:
        yield found


@pytest.mark.parametrize("is_writ", [True, False], ids=["writ", "another"])
def test_only_writ_is_asked(name: str, behind: Behind, folder: Path, tmp_path: Path, is_writ: bool) -> None:  # noqa: F811 - a fixture
    """Its certificate must be for the name, and by the authority. Traefik takes the name from the address."""
    told = "localhost" if is_writ else "other.example"
    lines = page("api/GATEWAYS.md").marked(f"{name.removesuffix('-grpc')} over TLS").replace("writ.example", told)
    by = Authority(folder, "stranger") if name == "traefik" and not is_writ else None
    lines = lines.replace("/etc/writ/tls/ca.pem", str(by.file if by else folder / "authority.pem"))
    lines = lines.replace("/etc/writ/tls/gateway.pem", str(folder / "gateway-certificate.pem"))
    lines = lines.replace("/etc/writ/tls/gateway-key.pem", str(folder / "gateway-key.pem"))
    place, port = PLACES[name], free_port()
    last = place.splitlines()[-1]
    more = {place: indent(lines, last[: len(last) - len(last.lstrip())])}
    swaps = {SCHEMES[name]: SCHEMES[name].replace("http:", "https:")} if name in SCHEMES else {}
    with gateway(name, tmp_path / name, behind.filled(name, port), more, swaps=swaps):
        answer = sent(port, "GET", "/documents/d1", Authorization=behind.token())
        assert answer.status == 200 if is_writ else answer.status in (403, 500, 502, 503)
