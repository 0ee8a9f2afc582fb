"""`decide_many` in as few calls as the decision point takes: by its limits of items and of bytes."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from writ import BadRequest
from writ.client.batches import MOST_ITEMS

from tests.api.client.client.conftest import Opened
from tests.api.conftest import ALLOWED, DENIED
from tests.support.decision_point import DecisionPoint, Handler, answers
from tests.support.server import KEY, Server, running


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, model_file: Path) -> Iterator[Server]:
    """A service with low limits."""
    limits = {"WRIT_MAX_BATCH_ITEMS": "100", "WRIT_MAX_BODY_BYTES": "20000"}
    data = tmp_path_factory.mktemp("batches") / "data"
    with running(data, "--import", str(model_file), settings=limits) as server:
        yield server


def test_a_batch_is_split_at_the_limit(opened: Opened, point: DecisionPoint) -> None:
    asker = opened(point.url, timeout=10)
    assert asker.call("decide_many", [ALLOWED] * (MOST_ITEMS + 2)) == [{"decision": True}] * (MOST_ITEMS + 2)
    assert [len(one.body["evaluations"]) for one in point.questions] == [MOST_ITEMS, 2]
    assert asker.call("decide_many", iter([])) == []


def test_lower_limits_of_a_service_are_found(opened: Opened, service: Server) -> None:
    """Of items, and of bytes. An item that is too large for any call is an error item."""
    asker = opened(service.url, token=KEY, timeout=30)
    large = {**ALLOWED, "context": {"note": "x" * 6_000}}
    asked = [ALLOWED, DENIED] * 200 + [large] * 5 + [{**ALLOWED, "context": {"note": "x" * 30_000}}, DENIED]
    found = asker.call("decide_many", asked)
    assert [one["decision"] for one in found] == [True, False] * 200 + [True] * 5 + [False, False]
    assert found[-2]["context"]["error"]["status"] == 413


def test_one_bad_item_does_not_spoil_the_others(opened: Opened, service: Server) -> None:
    """Writ refuses a body that nests too deep as a whole."""
    deep = {**ALLOWED, "context": {"a": json.loads("[" * 60 + "]" * 60)}}
    found = opened(service.url, token=KEY, timeout=30).call("decide_many", [ALLOWED, DENIED, deep, ALLOWED, 7])
    assert [one["decision"] for one in found] == [True, False, False, True, False]
    assert [found[place]["context"]["error"]["status"] for place in (2, 4)] == [400, 400]


def test_a_decision_point_that_refuses_every_batch(opened: Opened, point: DecisionPoint) -> None:
    """The items are asked one by one then."""

    def single(handler: Handler) -> None:
        is_batch = point.asked[-1].path.endswith("evaluations")
        handler.reply(400 if is_batch else 200, {"error": "no"} if is_batch else {"decision": True})

    point.always = single
    assert opened(point.url, timeout=10).call("decide_many", [ALLOWED] * 4) == [{"decision": True}] * 4


def test_a_limit_that_is_not_told_is_found(opened: Opened, point: DecisionPoint) -> None:
    """As at OpenFGA: no batch begins with all that waits again."""

    def five_at_most(handler: Handler) -> None:
        items = point.asked[-1].body["evaluations"]
        too_many = {"code": "validation_error", "message": "too many\nchecks", "details": [{"violations": []}]}
        if len(items) > 5:
            handler.reply(400, too_many)
        else:
            handler.reply(200, {"evaluations": [{"decision": True}] * len(items)})

    point.always = five_at_most
    assert opened(point.url, timeout=10).call("decide_many", [ALLOWED] * 80) == [{"decision": True}] * 80
    assert len(point.questions) < 40


def test_other_decision_points_get_a_context(opened: Opened, point: DecisionPoint) -> None:
    """As Cerbos wants: the empty default says no more than none."""
    opened(point.url).call("decide_many", [ALLOWED, DENIED])
    assert point.questions[0].body == {"context": {}, "evaluations": [ALLOWED, DENIED]}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"code": 3, "message": "a value\n is required", "details": [{"@type": "x"}]}, "a value is required (at $)"),
        ({"error": {"status": 400, "message": "no subject"}}, "no subject (at $)"),
        ({"error": 7}, "the decision point answers 400 (at $)"),
    ],
)
def test_errors_of_others_are_told(opened: Opened, point: DecisionPoint, body: object, said: str) -> None:
    point.always = answers(400, body)
    with pytest.raises(BadRequest) as caught:
        opened(point.url).call("decide", ALLOWED)
    assert str(caught.value) == said


def test_trouble_with_a_part_is_trouble_with_all(opened: Opened, point: DecisionPoint) -> None:
    """There is no answer to a part only."""
    point.script = [answers(200, {"evaluations": [{"decision": True}] * MOST_ITEMS}), answers(500)]
    with pytest.raises(Exception, match="as the test says"):
        opened(point.url, timeout=10).call("decide_many", [ALLOWED] * (MOST_ITEMS + 2))
