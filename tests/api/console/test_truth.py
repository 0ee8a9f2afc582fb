"""Each page under "Understand" beside the oracle, on random models: a question has one answer (issue 34)."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.api.console.test_searches import word
from tests.api.console.test_try import link
from tests.support import oracle
from tests.support.console import Desk, as_seen, expect
from tests.support.oracle_entities import registered_resources, registered_subjects
from tests.support.server import Server
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request as request_near

pytestmark = pytest.mark.browser

Row = dict[str, Any]
SEEDS = range(34_001, 34_009)
TRIED = 40  # requests with other contexts, times and attributes of the action, for each cell
ASKED = 3  # questions for each page and model


@pytest.fixture(scope="module", params=SEEDS)
def model(request: pytest.FixtureRequest, server: Server) -> Row:
    """A random model, in an environment for its seed. A rate limit counts in no search, so there is none (C10)."""
    document, _, _ = seeded_case(request.param)
    document.pop("requests", None)  # strict ones refuse some questions
    for policy in document.get("policies", ()):
        policy.get("conditions", {}).pop("rate_limit", None)
    with server.client() as api:
        api.post("/v1/environments", json={"id": f"r{request.param}"}).raise_for_status()
        written = api.put(f"/v1/environments/r{request.param}/model", json={"model": 1, **document})
        assert written.status_code in (200, 201), written.text
    return {"env": f"r{request.param}", "seed": request.param, **document}


def stored(model: Row, kind: str, key: tuple[str, str]) -> Row:
    listed = [one for one in model.get(kind, ()) if (one["type"], one["id"]) == key]
    return dict(listed[0].get("attributes") or {}) if listed else {}


def name_of(type: Row) -> str:
    return str(type.get("name") or type["id"])


def allowed(model: Row, subject: tuple[str, str], type: Row, id: str, action: Row, context: Row) -> bool:
    """The oracle's answer if everything that is stored is sent."""
    asked = {
        "subject": {"type": subject[0], "id": subject[1], "properties": stored(model, "subjects", subject)},
        "action": action,
        "resource": {"type": name_of(type), "id": id, "properties": stored(model, "resources", (type["id"], id))},
        "context": context,
    }
    return bool(oracle.decide(model, asked, time.time())["decision"])


def resources(model: Row, type: Row) -> list[str]:
    return sorted({id for of, id in registered_resources(model) if of == type["id"]})


def pairs(model: Row) -> list[tuple[Row, str]]:
    return [(type, action) for type in model.get("resource_types", ()) for action in type["actions"]]


def settled(desk: Desk, place: str) -> None:
    desk.go("#/default/nowhere")
    desk.page.get_by_role("heading", name="No such page").wait_for()
    desk.go(place)
    desk.page.get_by_role("heading", name="No such page").wait_for(state="detached")
    desk.settle()


def listed(desk: Desk, place: str) -> list[str]:
    """The first cells of the table of answers, or nothing if the page says that there is nothing."""
    settled(desk, place)
    desk.page.locator("tbody tr, .empty").first.wait_for()
    return list(desk.page.locator("tbody td:first-child:not(.also td)").all_inner_texts())


def page_of(model: Row, question: Row, page: str) -> str:
    return link(question, page).replace("#/default/", f"#/{model['env']}/")


def test_what_can_they_see_lists_what_is_allowed(model: Row, window: Desk) -> None:
    pick = Pick.seeded(model["seed"])
    subjects = sorted(set(registered_subjects(model)))
    for _ in range(ASKED if subjects and pairs(model) else 0):
        subject, (type, action) = pick.one(subjects), pick.one(pairs(model))
        asked = {"subject": {"type": subject[0], "id": subject[1]}, "action": {"name": action}}
        found = listed(window, page_of(model, asked | {"resource": {"type": name_of(type)}}, "what-can"))
        can = [id for id in resources(model, type) if allowed(model, subject, type, id, {"name": action}, {})]
        assert found == [as_seen(id) for id in can]
        check_others(window, model, asked | {"resource": {"type": name_of(type)}}, subject, type, can)


def check_others(window: Desk, model: Row, asked: Row, subject: tuple[str, str], type: Row, can: list[str]) -> None:
    """Under "these too, if", there is what the engine finds with open gates. No context allows anything else."""
    with window.client() as api:
        body = {**asked, "options": {"attributes": "registered", "return": "results"}}
        found = api.post(f"/v1/environments/{model['env']}/search/resource", json=body).json()["results"]
    others = [one["id"] for one in found if one["id"] not in can]
    cells = window.page.locator(".also td:first-child")
    expect(cells).to_have_count(len(others))
    assert cells.all_inner_texts() == [as_seen(id) for id in others]
    contexts = [request_near(Pick.seeded(at), model).get("context") or {} for at in range(TRIED)]
    for id in {*resources(model, type)} - {*can, *others}:
        assert not any(allowed(model, subject, type, id, asked["action"], context) for context in contexts), id


def test_who_can_lists_those_who_are_allowed(model: Row, window: Desk) -> None:
    pick = Pick.seeded(model["seed"])
    subjects = sorted(set(registered_subjects(model)))
    places = [(type, action, id) for type, action in pairs(model) for id in resources(model, type)]
    for _ in range(ASKED if subjects and places else 0):
        (kind, _), (type, action, id) = pick.one(subjects), pick.one(places)
        asked = {"action": {"name": action}, "resource": {"type": name_of(type), "id": id}}
        found = listed(window, page_of(model, asked | {"subject": {"type": kind}}, "who-can"))
        of_kind = [one for one in subjects if one[0] == kind]
        can = [one[1] for one in of_kind if allowed(model, one, type, id, {"name": action}, {})]
        assert found == [as_seen(one) for one in can]


def test_try_says_what_the_lists_say(model: Row, window: Desk) -> None:
    pick = Pick.seeded(model["seed"])
    subjects = sorted(set(registered_subjects(model)))
    places = [(type, action, id) for type, action in pairs(model) for id in resources(model, type)]
    for _ in range(ASKED if subjects and places else 0):
        subject, (type, action, id) = pick.one(subjects), pick.one(places)
        asked = {"subject": {"type": subject[0], "id": subject[1]}, "action": {"name": action}}
        settled(window, page_of(model, asked | {"resource": {"type": name_of(type), "id": id}}, "try"))
        said = window.page.locator(".verdict strong").inner_text()
        assert said == ("Allowed" if allowed(model, subject, type, id, {"name": action}, {}) else "Denied")


def answers(model: Row, subject: tuple[str, str], type: Row, action: str) -> Iterator[bool]:
    """The oracle's answers for each registered resource, with whatever a request may say besides."""
    for at in range(TRIED):
        other = request_near(Pick.seeded(at), model)
        properties, context = other["action"].get("properties") or {}, other.get("context") or {}
        for id in resources(model, type):
            yield allowed(model, subject, type, id, {"name": action, "properties": properties}, context)
            yield allowed(model, subject, type, id, {"name": action}, {})


def check_cell(said: str, model: Row, subject: tuple[str, str], type: Row, action: str) -> None:
    """A word without an "if" is true whatever a request says: "none" and "all" leave nothing out."""
    if said in ("none", "all"):
        assert {*answers(model, subject, type, action)} <= {said == "all"}, (said, subject, type["id"], action)
    else:
        assert said == "some" or said.startswith(("if ", "some, if ", "all, if ")), said


def test_the_matrix_and_the_review_leave_nothing_out(model: Row, window: Desk) -> None:
    said: dict[tuple[tuple[str, str], str, str], str] = {}
    with window.client() as api:
        rows = api.get(f"/v1/environments/{model['env']}/subjects?named=true").json()["items"]
    for type in model.get("resource_types", ()):
        settled(window, f"#/{model['env']}/matrix?type={quote(type['id'], safe='')}")
        window.page.locator("tbody tr, .empty").first.wait_for()
        for at, row in enumerate(window.page.locator("tbody tr").all()):
            subject = (rows[at]["type"], rows[at]["id"])
            for action, cell in zip(type["actions"], row.locator("td").all_inner_texts(), strict=True):
                check_cell(word(cell), model, subject, type, action)
                said[subject, type["id"], action] = word(cell)
    for subject in sorted({key[0] for key in said})[:ASKED]:
        settled(window, f"#/{model['env']}/review/subject/{quote(subject[0], safe='')}/{quote(subject[1], safe='')}")
        rights = window.page.locator("section", has=window.page.get_by_role("heading", name="Rights", exact=True))
        rights.locator("tbody tr, .empty").first.wait_for()
        found = [row.locator("td").all_inner_texts() for row in rights.locator("tbody tr").all()]
        expected = [[of, action, text] for (one, of, action), text in said.items() if one == subject and text != "none"]
        assert sorted([type, action, word(cell)] for type, action, cell, _ in found) == sorted(expected)


def without_the_first(answer: Row) -> None:
    answer["results"] = answer["results"][1:] or [{"type": "t", "id": "invented"}]


def turned(answer: Row) -> None:
    answer["decision"] = not answer["decision"]


def nothing_anywhere(answer: Row) -> None:
    for one in answer["rights"]:
        one.update(on="none", left_open=[])


LIES: dict[str, tuple[str, bool, Callable[[Row], None], Callable[[Row, Desk], None]]] = {
    "what can they see": ("search/resource", True, without_the_first, test_what_can_they_see_lists_what_is_allowed),
    "these too, if": ("search/resource", False, without_the_first, test_what_can_they_see_lists_what_is_allowed),
    "who can": ("search/subject", True, without_the_first, test_who_can_lists_those_who_are_allowed),
    "try": ("explain", True, turned, test_try_says_what_the_lists_say),
    "matrix and review": ("rights", True, nothing_anywhere, test_the_matrix_and_the_review_leave_nothing_out),
}
"""By page: the call whose answer is changed, whether a search of it sends a context, the change, and the comparison."""


@pytest.mark.parametrize("model", SEEDS[1:2], indirect=True)
@pytest.mark.parametrize("lie", LIES)
def test_a_page_that_lies_is_reported(lie: str, model: Row, window: Desk) -> None:
    """A comparison that finds nothing must be able to find something. This model has something for each lie."""
    call, is_decided, change, compare = LIES[lie]
    told: list[str] = []

    def answer(route: Any) -> None:
        asked = json.loads(route.request.post_data)
        if "search/" in call and ("context" in asked) != is_decided:
            route.continue_()
            return
        response = route.fetch()
        body = response.json()
        change(body)
        told.append(call)
        route.fulfill(response=response, json=body)

    window.page.route(f"**/{call}", answer)
    try:
        with pytest.raises(AssertionError):
            compare(model, window)
    finally:
        window.page.unroute(f"**/{call}")
    assert told
