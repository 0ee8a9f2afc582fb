"""A client of a service and an agent: who gets which call, and what happens if one of the two is away."""

from collections.abc import Iterator

import pytest
from writ.client import CircuitOpen, Client, Unreachable

from tests.api.client.client.conftest import Opened
from tests.support.decision_point import DecisionPoint, answers, deciding, drops

TOKEN = "0b8f6d3a-1c52-4f0e-9a57-6f3d2a1b4c5d.1.7"
DOCUMENT, ANN = {"type": "document", "id": "d1"}, {"type": "user", "id": "ann"}


@pytest.fixture
def agent() -> Iterator[DecisionPoint]:
    with deciding() as point:
        yield point


@pytest.fixture
def service() -> Iterator[DecisionPoint]:
    with deciding() as point:
        yield point


def test_the_agent_gets_the_questions_with_the_revision_of_the_last_write(
    opened: Opened, service: DecisionPoint, agent: DecisionPoint
) -> None:
    asker = opened(service.url, agent=agent.url + "/", environment="prod", token="key", discover=False)
    service.script = [answers(201, {"id": "g1"}, Writ_Revision=TOKEN)]
    assert asker.call("grants.share", DOCUMENT, ["read"], subject=ANN).revision == TOKEN
    assert asker.allowed()
    assert [one.path for one in service.asked] == ["/v1/environments/prod/grants"]
    assert [one.path for one in agent.asked] == ["/access/v1/evaluation"]
    assert agent.asked[0].headers["writ-min-revision"] == TOKEN
    assert {one.headers["authorization"] for one in service.asked + agent.asked} == {"Bearer key"}


def test_the_agent_is_asked_while_the_service_is_away(
    opened: Opened, service: DecisionPoint, agent: DecisionPoint
) -> None:
    asker = opened(service.url, agent=agent.url, discover=False)
    service.always = drops
    for _ in range(10):
        with pytest.raises((Unreachable, CircuitOpen)) as failed:
            asker.call("grants.share", DOCUMENT, ["read"], subject=ANN)
    assert service.url in str(failed.value)
    assert isinstance(failed.value, CircuitOpen)
    assert asker.allowed()


def test_a_url_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="`agent:8181` is no URL"):
        Client("http://127.0.0.1", agent="agent:8181")
