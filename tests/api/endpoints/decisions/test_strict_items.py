"""The options of single items of a batch: which items are strict, and the faults of their unknown members (E8, A1)."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.api.endpoints.decisions.batch import BatchAnswers, read_batch, strict_batch
from writ.runtime import Engine

from tests.runtime.strictness.test_strict_requests import DOCUMENT, engine_of
from tests.support.oracle_strict import strict_faults
from tests.support.server import running
from tests.support.strategies_strict import strict_cases

GOOD: dict[str, Any] = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "1"},
    "context": {"mfa": True},
}
BATCH = "/access/v1/evaluations"
STRICT, LAX = {"strict": True}, {"strict": False}
MISSPELT = {"resource": {"type": "document", "id": "1", "properties": {"stauts": "draft"}}}
STAUTS = ("undeclared-attribute", "$.resource.properties.stauts")
CONTXT = ("unknown-member", "$.contxt")

Faults = list[tuple[str, str]]


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A service whose model does not ask for strict requests."""
    with running(tmp_path_factory.mktemp("items") / "data") as server, server.client() as client:
        client.put("/v1/environments/default/model", json={"model": 1} | DOCUMENT).raise_for_status()
        yield client


def faults_of(answer: dict[str, Any]) -> Faults:
    return [(one["code"], one["path"]) for one in answer["context"].get("error", {}).get("details", [])]


def ask(http: httpx.Client, items: list[Any], **batch: Any) -> list[Faults]:
    answer = http.post(BATCH, json=GOOD | batch | {"evaluations": items})
    assert answer.status_code == 200, answer.text
    return [faults_of(one) for one in answer.json()["evaluations"]]


def test_an_item_asks_for_itself(http: httpx.Client) -> None:
    items = [MISSPELT, MISSPELT | {"options": STRICT}, MISSPELT | {"options": LAX}, {"options": STRICT}]
    assert ask(http, items) == [[], [STAUTS], [], []]


def test_the_option_of_an_item_replaces_that_of_the_batch(http: httpx.Client) -> None:
    """W3: each option of an item replaces that of the batch. A null is the batch's."""
    items = [MISSPELT, MISSPELT | {"options": LAX}, MISSPELT | {"options": {"strict": None}}]
    assert ask(http, items, options=STRICT) == [[STAUTS], [], [STAUTS]]
    assert ask(http, items, options=LAX) == [[], [], []]


def test_false_switches_neither_the_model_nor_the_engine_off() -> None:
    for engine in (engine_of(DOCUMENT | {"requests": "strict"}, strict=False), engine_of(DOCUMENT, strict=True)):
        assert answers(engine, GOOD | {"evaluations": [MISSPELT | {"options": LAX}]}) == [[STAUTS]]


def test_unknown_members_of_an_item_are_its_own_faults(http: httpx.Client) -> None:
    unknown = {"contxt": {}}
    items = [unknown, unknown | {"options": STRICT}, unknown | {"options": LAX}]
    assert ask(http, items) == [[], [CONTXT], []]
    assert ask(http, items, options=STRICT) == [[CONTXT], [CONTXT], []]
    only_of_a_batch = {"evaluations": [], "options": STRICT | {"evaluations_semantic": "execute_all"}}
    assert ask(http, [only_of_a_batch]) == [
        [("unknown-member", "$.options.evaluations_semantic"), ("unknown-member", "$.evaluations")]
    ]
    assert ask(http, [{"page": {}, "options": STRICT}], options={"evaluations_semantic": "execute_all"}) == [[]]


def test_the_name_of_a_null_is_checked(http: httpx.Client) -> None:
    """A null counts as missing: it is the same in the options of a batch and of an item, with and without others."""
    null = {"options": STRICT | {"explian": None}}
    option = ("unknown-member", "$.options.explian")
    assert ask(http, [null]) == ask(http, [null], options={}) == ask(http, [null], options=LAX) == [[option]]
    assert ask(http, [null], options={"explian": True}) == [[option]]
    assert ask(http, [{"contxt": None, "options": STRICT}]) == [[CONTXT]]


def test_what_an_item_takes_from_the_batch_is_judged_with_it(http: httpx.Client) -> None:
    """Defaults with faults are those of each strict item that takes them. An own part has its own faults alone."""
    subject = {"type": "user", "id": "alice", "nme": "x"}
    nme = ("unknown-member", "$.subject.nme")
    own = {"subject": {"type": "user", "id": "bob"}}
    items = [
        {"options": STRICT},
        own | {"options": STRICT},
        {},
        {"subject": {"id": "bob", "mail": 1}, "options": STRICT},
    ]
    assert ask(http, items, subject=subject) == [[nme], [], [], [("unknown-member", "$.subject.mail")]]
    option = ("unknown-member", "$.options.explian")
    assert ask(http, [{}, {"options": STRICT}], options={"explian": True}) == [[], [option]]


def test_only_a_strict_batch_is_refused_for_its_own_members(http: httpx.Client) -> None:
    body = GOOD | {"evaluations": [{"options": STRICT}], "evalutions": []}
    assert faults_of(http.post(BATCH, json=body).json()["evaluations"][0]) == []
    refused = http.post(BATCH, json=body | {"options": STRICT})
    assert refused.status_code == 400
    assert [one["path"] for one in refused.json()["details"]] == ["$.evalutions"]


@pytest.mark.parametrize("value", [1, "true", [], {}])
def test_another_value_than_a_boolean_is_the_fault_of_its_place(http: httpx.Client, value: object) -> None:
    """E8: an item that can't be read gets an error, and a batch that can't be read is refused."""
    body = GOOD | {"evaluations": [{"options": {"strict": value}}, {}]}
    bad, good = http.post(BATCH, json=body).json()["evaluations"]
    assert bad["context"]["error"]["status"] == 400
    assert "$.options.strict" in bad["context"]["error"]["message"]
    assert good["decision"] is True
    assert http.post(BATCH, json=GOOD | {"evaluations": [{}], "options": {"strict": value}}).status_code == 400


def test_the_actor_of_a_batch_is_judged_with_each_item(http: httpx.Client) -> None:
    """A1: the batch's actor counts for items that name none. An unknown member of it is an error in each way."""
    actor = {"type": "service", "id": "s", "nme": 1}
    nme = ("unknown-member", "$.options.actor.nme")
    clean = {"actor": {"type": "service", "id": "t"}}
    items = [{}, {"options": clean}, {"options": LAX}]
    assert ask(http, items, options=STRICT | {"actor": actor}) == [[nme], [], [nme]]
    assert ask(http, [{}, {"options": STRICT}], options={"actor": actor}) == [[nme], [nme]]


def answers(engine: Engine, body: dict[str, Any]) -> list[Faults]:
    """The faults of each item, as the endpoint decides a batch."""
    batch = read_batch(body, 10)
    assert batch is not None
    found = BatchAnswers(strict_batch(engine, body, batch), lambda one: engine.decide(one), 10**6)
    return [faults_of(one) if isinstance(one, dict) else [] for one in found]


OPTIONS = st.sampled_from([{}, {"strict": True}, {"strict": False}, {"strict": None}, {"explain": False}])


@given(strict_cases(), OPTIONS, OPTIONS)
def test_each_item_has_the_faults_of_the_oracle(case: Any, of_batch: dict[str, Any], own: dict[str, Any]) -> None:
    """An item's options are the batch's, updated with its own. A null replaces none, but its name is checked.

    An unknown member of an actor is a fault without strict requests, too (A1).
    """
    document, request, _ = case
    item = request | {"options": {**(request.get("options") or {}), **own}}
    options = of_batch | {
        name: value for name, value in item["options"].items() if value is not None or name not in of_batch
    }
    faults = strict_faults(document, item | {"options": options})
    of_actor = [one for one in faults if one[0] == "unknown-member" and one[1].startswith("$.options.actor")]
    expected = faults if options.get("strict") else of_actor
    engine = engine_of(document, strict=False)
    assert answers(engine, {"evaluations": [item], "options": of_batch}) == [expected]
    if not of_batch:
        assert answers(engine, {"evaluations": [item]}) == [expected]
