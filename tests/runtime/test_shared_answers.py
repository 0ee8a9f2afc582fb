"""Answers that are shared can't be changed by who gets them, and JSON in is JSON out."""

import json
import pickle
from copy import copy, deepcopy
from typing import Any

import msgspec
import pytest
from writ.runtime import BadRequest, Engine

from tests.runtime.test_ways_agree import DOCUMENT, NOW, mutations, outcome, plain_requests
from tests.support.bundling import engine_for


@pytest.fixture
def engine(tmp_path) -> Engine:
    return engine_for(DOCUMENT, tmp_path / "model.bundle")


def asked(engine: Engine, request: dict[str, Any]) -> Any:
    subject, resource = request["subject"], request["resource"]
    return engine.ask(
        *(subject["type"], subject["id"], request["action"]["name"], resource["type"], resource["id"]),
        resource=resource["properties"],
        context=request["context"],
        now=NOW,
    )


def test_equal_answers_are_one_decision_and_say_what_decide_says(engine: Engine) -> None:
    for request in plain_requests():
        first, decided = asked(engine, request), engine.decide(request, NOW)
        for found in (first, asked(engine, request)):
            assert (found.allowed, found.context) == (decided["decision"], decided["context"])
            assert found.reason_code == decided["context"]["reason_code"]
    request = plain_requests()[0]
    assert asked(engine, request) is asked(engine, request)


@pytest.mark.parametrize(
    "change",
    [
        lambda context: context.update(reason="x"),
        lambda context: context.__setitem__("reason", "x"),
        lambda context: context.pop("reason"),
        lambda context: context.popitem(),
        lambda context: context.clear(),
        lambda context: context.setdefault("other", 1),
        lambda context: context.__delitem__("reason"),
        lambda context: context.__ior__({"reason": "x"}),
    ],
)
def test_a_shared_context_cannot_be_changed(engine: Engine, change: Any) -> None:
    request = plain_requests()[0]
    asked(engine, request)
    context = asked(engine, request).context
    before = dict(context)
    with pytest.raises(TypeError, match="copy it"):
        change(context)
    assert asked(engine, request).context == before


def test_a_shared_decision_is_copied_pickled_and_encoded_like_any_other(engine: Engine) -> None:
    request = plain_requests()[0]
    asked(engine, request)
    found = asked(engine, request)
    assert pickle.loads(pickle.dumps(found)) == found == deepcopy(found) == copy(found)
    assert (
        json.loads(json.dumps(found.context))
        == found.context
        == msgspec.json.decode(msgspec.json.encode(found.context))
    )


def test_what_a_caller_does_with_an_answer_of_decide_changes_no_other(engine: Engine) -> None:
    for request in plain_requests():
        before = engine.decide_json(msgspec.json.encode(request), NOW)
        engine.decide(request, NOW)["context"].clear()
        assert engine.decide_json(msgspec.json.encode(request), NOW) == before


def test_json_in_is_json_out_for_every_request(engine: Engine) -> None:
    """As `decide` answers the same request, or refuses it."""
    for request in plain_requests()[::5]:
        for changed in (request, *mutations(request)):
            body = msgspec.json.encode(changed)
            found = outcome(lambda body=body: msgspec.json.decode(engine.decide_json(body, NOW)))
            assert found == outcome(lambda changed=changed: engine.decide(changed, NOW)), changed


ASKED = b'{"resource":{"type":"d","id":"1"},"subject":{"type":"user","id":"a"%b},"action":{"name":"r"}%b}'
TWICE = (
    (ASKED % (b',"id":"b"', b""), "subject.id"),
    (ASKED % (b"", b',"action":{"name":"r"}'), "action"),
    (ASKED % (b"", b',"context":{"x":"a\\u003a","\\u0078":2}'), "context.x"),
    (ASKED % (b"", b',"context":{"x":":","x" :2}'), "context.x"),
)


@pytest.mark.parametrize(("body", "path"), TWICE)
def test_a_member_twice_is_refused(engine: Engine, body: bytes, path: str) -> None:
    """E10: no way decides by one of the two."""
    with pytest.raises(BadRequest) as refused:
        engine.decide_json(body)
    assert (refused.value.code, refused.value.path) == ("duplicate-member", f"$.{path}")


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"a":"\xff"}', b"[" * 100_000, b"[]", b"null"])
def test_what_is_no_request_is_refused(engine: Engine, body: bytes) -> None:
    with pytest.raises(BadRequest):
        engine.decide_json(body)
