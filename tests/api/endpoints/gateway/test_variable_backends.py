"""Behind each example, a backend that gets headers as variables reads none of a client's as Writ's or the gateway's."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from writ.api.endpoints.gateway.header_names import REPLACING

from tests.api.endpoints.gateway.test_real_gateways import (
    ALICE,
    MODEL,
    ROUTE,
    Ask,
    Behind,
    name,  # noqa: F401  # a fixture
    sent,
    served,
)
from tests.support.gateways import gateway
from tests.support.header_names import other_forms
from tests.support.ports import free_port
from tests.support.raw_http import Answer
from tests.support.variable_backends import BACKENDS, PATH, variables_of

pytestmark = pytest.mark.gateway

OWN = ("X-Writ-Subject-Id", "X-Writ-Policy-Id", "X-Writ-Team", "X-Writ-Subject", "X-Writ-Authorization", "X-Writ-Scope")
BY_GATEWAYS = (
    *("X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto", "X-Forwarded-Server"),
    *("X-Forwarded-Method", "X-Forwarded-Prefix", "X-Forwarded-Uri", "X-Forwarded-Tls-Client-Cert", "X-Real-IP"),
)
BY_NO_GATEWAY = (
    *("X-Forwarded-By", "X-Forwarded-Email", "X-Forwarded-Groups", "X-Forwarded-Hosts", "X-Forwarded-Path"),
    *("X-Forwarded-Ports", "X-Forwarded-Protocol", "X-Forwarded-Scheme", "X-Forwarded-Servers", "X-Forwarded-Ssl"),
    *("X-Forwarded-User", "Forwarded", *(one.decode() for one in sorted(REPLACING))),
)
FORGED = "forged"

AT_ONCE = 70
"""The other forms in a request. Gateways, and Writ, take up to 100 headers."""

MORE: dict[str, Any] = MODEL | {
    "grants": [
        ALICE | {"id": "alice-d1", "resource": {"type": "document", "id": "d1"}, "actions": ["read"]},
    ],
    "routes": [
        *MODEL["routes"],
        ROUTE | {"id": "variables", "methods": ["GET"], "path": "/cgi-bin/{id}", "action": "read"},
    ],
}


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    with served(tmp_path_factory.mktemp("variables")) as found, found.server.client() as admin:
        admin.put("/v1/environments/default/model", json=MORE).raise_for_status()
        yield found


@pytest.fixture(scope="module", params=BACKENDS)
def variables(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """A backend: its name and its port."""
    missing = BACKENDS[request.param].missing()
    if missing is not None:
        pytest.skip(f"{missing} is not installed")
    with variables_of(request.param, tmp_path_factory.mktemp("backend") / request.param) as port:
        yield request.param, port


@pytest.fixture(scope="module")
def ask(
    name: str,  # noqa: F811 - a fixture
    variables: tuple[str, int],
    behind: Behind,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Ask]:
    """Sends a request to the gateway in front of the backend."""
    port = free_port()
    folder = tmp_path_factory.mktemp("gateway") / name
    with gateway(name, folder, behind._replace(backend=variables[1]).filled(name, port)):
        yield lambda *fields: sent(port, "GET", PATH, *fields, Authorization=behind.token(team="docs"))


def test_the_backend_reads_other_forms_as_the_name(variables: tuple[str, int]) -> None:
    """Without it, the other tests here would show nothing."""
    kind, port = variables
    for mark in BACKENDS[kind].folds:
        answer = sent(port, "GET", PATH, (f"X{mark}Writ{mark}Team", FORGED))
        assert answer.json["HTTP_X_WRIT_TEAM"] == FORGED, mark


@pytest.mark.parametrize("names", [OWN, BY_GATEWAYS, BY_NO_GATEWAY], ids=["own", "by_gateways", "by_no_gateway"])
def test_a_backend_reads_no_form_of_a_name_that_a_client_may_not_tell(ask: Ask, names: Sequence[str]) -> None:
    """Of several forms, the last one counts for some backends, and the first one for others."""
    forms = [form.swapcase() for one in names for form in other_forms(one)]
    for some, may_be_refused in (
        ([form for form in forms if "_" not in form], False),
        ([form for form in forms if "_" in form], True),
    ):
        for first in range(0, len(some), AT_ONCE):
            part = some[first : first + AT_ONCE]
            for told in ([*part, *names], [*names, *part]):
                answer = ask(*((form, FORGED) for form in told))
                assert answer.status == 200 or (may_be_refused and answer.status == 400), answer
                if answer.status == 200:
                    assert not forged(answer)
                    assert told_by_writ(answer) == ["alice", "alice-d1", "docs"]


def test_what_a_client_may_tell_reaches_the_backend(ask: Ask) -> None:
    answer = ask(("X-Requested-With", "browser"), ("Accept-Language", "no"))
    assert (answer.json["HTTP_X_REQUESTED_WITH"], answer.json["HTTP_ACCEPT_LANGUAGE"]) == ("browser", "no")
    assert answer.json["HTTP_X_FORWARDED_PROTO"] == "http"


def forged(answer: Answer) -> list[str]:
    """Returns the variables with a value of the client's."""
    return [variable for variable, value in answer.json.items() if isinstance(value, str) and FORGED in value]


def told_by_writ(answer: Answer) -> list[str | None]:
    """Returns the variables that Writ tells the backend."""
    return [answer.json.get(f"HTTP_X_WRIT_{one}") for one in ("SUBJECT_ID", "POLICY_ID", "TEAM")]
