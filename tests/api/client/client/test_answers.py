"""An engine and the two clients answer the same questions in the same way: those of a service, and of its agent."""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import writ
from writ.testing import TestingEngine, engine

from tests.api.client.client.conftest import Asker, Opened
from tests.support.command import writ as command_writ
from tests.support.server import KEY, Server, command, environment, running, started
from tests.support.strategies import document
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request

SEEDS = range(4)
QUESTIONS = 40
"""The questions about each model, each asked in every way."""

ON_AN_AGENT = ("decide", "allowed", "ask", "filter")
SEARCHES = ("actions", "resources", "subjects")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service whose model these tests replace. It sweeps away no subject whose last assignment has ended."""
    with running(tmp_path_factory.mktemp("answers") / "data", settings={"WRIT_SWEEP_DAYS": "0"}) as server:
        yield server


def model_for(seed: int) -> dict[str, Any]:
    """A random model without rate limits, which count each question."""
    found = document(Pick.seeded(seed))
    for policy in found.get("policies", []):
        policy.get("conditions", {}).pop("rate_limit", None)
    return {"model": 1, **found}


def loaded(service: Server, model: dict[str, Any], folder: Path) -> TestingEngine:
    """Put a model into force at the service, and return an engine over it."""
    (folder / "model.json").write_text(json.dumps(model))
    with service.client() as http:
        http.put("/v1/environments/default/model", json=model).raise_for_status()
    return engine(folder / "model.json", strict=False)


def questions_about(model: dict[str, Any], seed: int) -> list[Any]:
    """Requests about a model, of which some are malformed."""
    pick = Pick.seeded(seed)
    made = (request(pick, model) for _ in range(QUESTIONS))
    found: list[Any] = [one for one in made if fits_http(one)]
    for one in found[::4]:
        part = pick.one(["subject", "action", "resource"])
        match pick.number(0, 3):
            case 0:
                one.pop(part)
            case 1:
                one[part] = pick.one([None, 1, "a", []])
            case 2:
                one[part] |= {pick.one(["id", "name", "type"]): pick.one([None, "", 1, "x" * 513])}
            case _:
                one["context"] = pick.one([1, "a", []])
    return found


def fits_http(one: dict[str, Any]) -> bool:
    """Whether JSON can say a request, and it is not deeper than the service reads."""
    text = json.dumps(one)
    return (
        re.search(r"\\ud[89a-f]..", re.sub(r"\\ud[89ab]..\\ud[c-f]..", "", text)) is None
        and "[" * 20 not in text
        and text.count('{"a": ' * 20) == 0
    )


def searches_of(kind: str, one: dict[str, Any], pick: Pick) -> dict[str, Any]:
    """An evaluation request as a search of this kind."""
    found = {name: value for name, value in one.items() if name != "options"}
    if kind == "actions":
        found.pop("action", None)
    elif isinstance(entity := found.get(part := "resource" if kind != "subjects" else "subject"), dict):
        found[part] = {"type": entity.get("type")}
    return found | pick.member(1, 2, "options", {})


def outcome(ask: Callable[[], Any]) -> Any:
    """What an application sees: the answer, or the error."""
    try:
        found = ask()
        return list(found) if isinstance(found, Iterator) else found
    except writ.Error as ex:
        return type(ex), str(ex), getattr(ex, "path", None), getattr(ex, "details", None)


def compare(inside: writ.Engine, asker: Asker, kinds: tuple[str, ...], model: dict[str, Any], seed: int) -> None:
    pick, asked = Pick.seeded(seed), questions_about(model, seed)
    assert asker.call("decide_many", [*asked, 1, None]) == inside.decide_many([*asked, 1, None])
    for kind in kinds:
        for one in asked:
            if kind in ("allowed", "ask"):
                given: tuple[Any, ...] = named(one)
            else:
                given = (one if kind == "decide" else searches_of(kind, one, pick),)
            expected = outcome(partial(getattr(inside, kind), *given))
            assert outcome(partial(asker.call, kind, *given)) == expected, (kind, given)


def named(one: dict[str, Any]) -> tuple[Any, ...]:
    """The parameters of `allowed`."""
    parts = {
        name: value if isinstance(value := one.get(name), dict) else {} for name in ("subject", "action", "resource")
    }
    subject, action, resource = parts["subject"], parts["action"], parts["resource"]
    ids = (subject.get("type"), subject.get("id"), action.get("name"), resource.get("type"), resource.get("id"))
    properties = (subject.get("properties"), resource.get("properties"), action.get("properties"))
    return (*ids, *(each if isinstance(each, dict) else None for each in (*properties, one.get("context"))))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_questions_have_the_same_answers(opened: Opened, service: Server, tmp_path: Path, seed: int) -> None:
    model = model_for(seed)
    inside = loaded(service, model, tmp_path)
    compare(inside, opened(service.url, token=KEY, timeout=10), (*ON_AN_AGENT, *SEARCHES), model, seed)


def test_an_agent_gives_the_same_answers(opened: Opened, service: Server, tmp_path: Path) -> None:
    """It does not search (contract 7.3)."""
    model = model_for(7)
    inside = loaded(service, model, tmp_path)
    with service.client() as http:
        http.get("/v1/environments/default/bundle", timeout=60).raise_for_status()
        httpx.get(service.url + "/healthz")
    data = Path(service._log).with_suffix("")
    (tmp_path / "key.pem").write_bytes(command_writ("keys", "--kind", "bundle", "--data", data).stdout)
    (tmp_path / "token").write_text(KEY)
    source = ("--env", "default", "--upstream", service.url, "--token-file", str(tmp_path / "token"))
    words = ("agent", "--bind", "127.0.0.1:0", *source, "--key", str(tmp_path / "key.pem"))
    variables = environment({"WRIT_ADMIN_KEY": KEY})
    with started(command(*words), variables, tmp_path / "agent.log", tmp_path) as agent:
        asker = opened(agent.url, token=KEY, timeout=10)
        compare(inside, asker, ON_AN_AGENT, model, 7)
        for kind in SEARCHES:
            with pytest.raises(writ.SearchUnavailable):
                asker.call(kind, searches_of(kind, questions_about(model, 7)[1], Pick.seeded(1)))


def test_a_page_after_the_other(opened: Opened, service: Server, tmp_path: Path) -> None:
    """All results come, whatever the size of a page is."""
    ids = [f"d{number:03}" for number in range(25)]
    policy = {"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "document", "actions": ["*"]}]}
    model: dict[str, Any] = {
        "model": 1,
        "resource_types": [{"id": "document", "actions": [f"a{number}" for number in range(7)]}],
        "resources": [{"type": "document", "id": id} for id in ids],
        "subjects": [{"type": "user", "id": id} for id in ids],
        "policies": [policy],
    }
    loaded(service, model, tmp_path)
    asker = opened(service.url, token=KEY, timeout=10)
    subject, action, resource = {"type": "user", "id": "d001"}, {"name": "a1"}, {"type": "document", "id": "d001"}
    asked = {"subject": subject, "action": action, "resource": {"type": "document"}, "page": {"limit": 10}}
    assert [one["id"] for one in asker.call("resources", asked)] == ids
    found = asker.call("resources", asked | {"options": {"return": "filter"}})
    assert [one["resource_id"] for one in found] == ids
    asked = {"subject": {"type": "user"}, "action": action, "resource": resource, "page": {"limit": 10}}
    assert [one["id"] for one in asker.call("subjects", asked)] == ids
    asked = {"subject": subject, "resource": resource, "page": {"limit": 3}}
    assert [one["name"] for one in asker.call("actions", asked)["results"]] == [f"a{number}" for number in range(7)]


def test_a_strict_fault_is_the_engines_error(opened: Opened, service: Server, tmp_path: Path) -> None:
    """With its code, its path and all details (E8)."""
    inside = loaded(service, {"model": 1, "resource_types": [{"id": "document", "actions": ["read"]}]}, tmp_path)
    asked = {"subject": {"type": "user", "id": "a"}, "action": {"name": "raed"}, "resource": {"type": "d", "id": "1"}}
    asked |= {"options": {"strict": True}, "odd": 1}
    with pytest.raises(writ.BadRequest) as expected:
        inside.decide(asked)
    with pytest.raises(writ.BadRequest) as caught:
        opened(service.url, token=KEY).call("decide", asked)
    assert caught.value.details == expected.value.details
    assert (caught.value.code, caught.value.path) == (expected.value.code, expected.value.path)


@pytest.mark.parametrize("bad", [{"a": float("nan")}, {"a": {1}}, {"a": b"x"}])
def test_what_json_does_not_have_is_a_bad_request(opened: Opened, bad: Any) -> None:
    asker = opened("http://127.0.0.1:1", timeout=0.1, discover=False)
    with pytest.raises(writ.BadRequest, match="JSON has no"):
        asker.call("decide", bad)
    assert asker.call("decide_many", [bad])[0]["context"]["error"]["status"] == 400
