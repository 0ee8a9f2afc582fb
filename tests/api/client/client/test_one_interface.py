"""The same questions, good and bad, to an engine, a followed engine and both clients: the same answers and errors."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import writ
import writ.testing
from writ.api.engines.live.build import build_bundle

from tests.api.client.client.conftest import Asker, Opened
from tests.support.server import KEY, Server, running

MODEL = """\
model: 1
resource_types:
- {id: document, actions: [edit, read], attributes: {status: string}}
- {id: page, actions: [read]}
roles: [{id: editor}]
subjects: [{type: user, id: alice, external_id: "idp|1"}, {type: user, id: bob}]
resources:
- {type: document, id: d1, name: Plan, attributes: {status: draft}}
- {type: document, id: d2, attributes: {status: draft}}
- {type: document, id: d4, attributes: {status: final}}
assignments: [{role: editor, subject: {type: user, id: alice}}]
grants: [{id: g1, subject: {type: user, id: bob}, resource: {type: document, id: d4}, actions: [read]}]
policies:
- {id: all-read, effect: ALLOW, roles: [editor], resource_types: [{resource_type_id: document, actions: [read]}]}
- id: editing
  effect: ALLOW
  roles: [editor]
  resource_types: [{resource_type_id: document, actions: [edit]}]
  conditions: {resource_attrs: [{key: status, op: eq, value: draft}]}
"""
ALICE, BOB = {"type": "user", "id": "alice"}, {"type": "user", "id": "bob"}
EDIT, D1 = {"name": "edit"}, {"type": "document", "id": "d1", "properties": {"status": "draft"}}
DECIDE = {"subject": ALICE, "action": EDIT, "resource": D1}
LIST = {"subject": ALICE, "action": EDIT, "resource": {"type": "document"}}
WHO = {"subject": {"type": "user"}, "action": {"name": "read"}, "resource": {"type": "document", "id": "d4"}}
WHAT = {"subject": ALICE, "resource": D1}
NAMES = ("user", "alice", "edit", "document", "d1")
DRAFT = {"resource": {"status": "draft"}}


class Text(str):
    """A string of the application's own type."""


NO_REQUESTS: list[Any] = [None, 1, "text", [], {}]
ENTITIES: list[Any] = [
    *(None, [], "alice", {}, {"type": "user"}, {"type": 1, "id": "a"}, {"type": "", "id": "a"}),
    *({"type": "user", "id": id} for id in ("", 1, True, "x" * 513, "zoe")),
    *({"type": "user", "external_id": id} for id in ("idp|1", "none", 1)),
    {"type": "user", "id": "alice", "external_id": "idp|1"},
    {"type": "document", "name": "Plan"},
    {"type": "page", "id": "d1"},
    *({"type": "document", "id": "d1", "properties": value} for value in ([], 1, {"status": 1}, {"status": ["draft"]})),
    {"type": "document", "id": "d1", "attributes": {"status": "draft"}},
    {"type": Text("document"), "id": Text("d1"), "properties": {"status": Text("draft"), "big": 2**70}},
]
ACTIONS: list[Any] = [
    *(None, "edit", {}, {"name": ""}, {"name": 1}, {"name": "read"}, {"name": "none"}),
    *({"name": "edit", "properties": value} for value in (1, {"a": 1})),
]
CONTEXTS: list[Any] = [None, [], 1, {}, {"time": "x"}, {"time": "2026-01-01T00:00:00Z"}, {"ip": "x"}]
OPTIONS: list[Any] = [
    *(None, [], {}, {"strict": True}, {"strict": 1}, {"actor": BOB}, {"actor": 1}, {"odd": 1}),
    *({"explain": value} for value in (True, 1)),
    *({"return": value} for value in ("filter", "results", "both", "none", 1)),
    *({"include_direct": value} for value in (True, "node", 1)),
    *({"gates": value} for value in ("decide", "none")),
]
PAGES: list[Any] = [
    None,
    [],
    1,
    {},
    {"limit": 1},
    {"limit": 0},
    {"limit": -1},
    {"limit": "a"},
    {"token": 1},
    {"odd": 1},
]
PARTS = {"subject": ENTITIES, "action": ACTIONS, "resource": ENTITIES, "context": CONTEXTS, "options": OPTIONS}


def requests(good: dict[str, Any]) -> Iterator[Any]:
    """A good request, and others that each differ from it in one part."""
    yield from (good, *NO_REQUESTS, good | {"odd": 1}, good | {"odd": 1, "options": {"strict": True}})
    for part, values in PARTS.items():
        yield {name: value for name, value in good.items() if name != part}
        yield from (good | {part: value} for value in values)
    yield from (good | {"page": value} for value in PAGES)


def named() -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Parameters of `allowed` and `ask`."""
    yield from ((NAMES, DRAFT), (NAMES, {}))
    for place in range(len(NAMES)):
        for bad in (None, "", 1, [], "x" * 513, Text(NAMES[place])):
            yield (*NAMES[:place], bad, *NAMES[place + 1 :]), DRAFT
    for part in ("subject", "resource", "action_properties", "context"):
        yield from ((NAMES, {**DRAFT, part: value}) for value in (None, [], {}, [1], 1, "text", {"status": 1}))


MANY: list[Any] = [
    [],
    [DECIDE],
    (DECIDE, DECIDE | {"subject": BOB}),
    [DECIDE] * 1_100,
    [*NO_REQUESTS, DECIDE, DECIDE | {"odd": 1, "options": {"strict": True}}, DECIDE | {"subject": {}}],
    [DECIDE | {"options": {"explain": True}}],
    None,
    1,
    "text",
]

Question = tuple[str, tuple[Any, ...], dict[str, Any]]
EVERYWHERE: list[Question] = [
    *(("decide", (one,), {}) for one in requests(DECIDE)),
    *(("filter", (one,), {}) for one in requests(LIST)),
    *(("actions", (one,), {}) for one in requests(WHAT)),
    *((kind, *given) for kind in ("allowed", "ask") for given in named()),
    *(("decide_many", (one,), {}) for one in MANY),
]
SEARCHES: list[Question] = [
    *(("resources", (one,), {}) for one in requests(LIST)),
    *(("subjects", (one,), {}) for one in requests(WHO)),
]
OTHER_SEARCH = {"page": {"token": "none"}}
OF_OTHER_SEARCHES: list[Question] = [("resources", (LIST | OTHER_SEARCH,), {}), ("subjects", (WHO | OTHER_SEARCH,), {})]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("one")
    (folder / "model.yaml").write_text(MODEL)
    build_bundle([folder / "model.yaml"], folder / "model.bundle")
    return folder


@pytest.fixture(scope="module")
def service(folder: Path) -> Iterator[Server]:
    with running(folder / "data", "--import", str(folder / "model.yaml")) as server:
        yield server


def outcome(ask: Callable[[], Any]) -> Any:
    """What an application sees: the answer, or the error."""
    try:
        found = ask()
        return list(found) if isinstance(found, Iterator) else found
    except writ.BadRequest as ex:
        return type(ex), ex.message, ex.path, ex.code, ex.details
    except writ.Error as ex:
        return type(ex)
    except TypeError as ex:
        return type(ex)


def answered(engine: writ.Engine, question: Question) -> Any:
    kind, args, kwargs = question
    return outcome(partial(getattr(engine, kind), *args, **kwargs))


def asked(asker: Asker, question: Question) -> Any:
    kind, args, kwargs = question
    return outcome(partial(asker.call, kind, *args, **kwargs))


def share(asker: Asker, questions: list[Question]) -> list[Question]:
    """All questions, or every fourth one to an AsyncClient: it takes the same steps as a Client."""
    return questions if isinstance(asker.client, writ.Client) else questions[::4]


def test_both_clients_answer_as_an_engine_does(folder: Path, service: Server, opened: Opened) -> None:
    inside = writ.Engine.open(folder / "model.bundle")
    asker = opened(service.url, token=KEY, timeout=10)
    for question in share(asker, EVERYWHERE):
        assert asked(asker, question) == answered(inside, question), question


def test_both_clients_search_as_an_engine_for_tests_does(folder: Path, service: Server, opened: Opened) -> None:
    inside = writ.testing.engine(folder / "model.yaml", strict=False)
    asker = opened(service.url, token=KEY, timeout=10)
    for question in (*share(asker, SEARCHES), *OF_OTHER_SEARCHES):
        assert asked(asker, question) == answered(inside, question), question


def test_a_followed_engine_and_one_for_tests_answer_as_an_engine_does(folder: Path) -> None:
    inside = writ.Engine.open(folder / "model.bundle")
    compiled = writ.testing.engine(folder / "model.yaml", strict=False)
    with writ.follow(folder / "model.bundle", unsigned=True) as following:
        for question in EVERYWHERE:
            expected = answered(inside, question)
            assert answered(following.engine, question) == expected, question
            assert answered(compiled, question) == expected, question
        for question in SEARCHES:
            found, expected = answered(inside, question), answered(compiled, question)
            assert answered(following.engine, question) == found, question
            assert found == (writ.SearchUnavailable if isinstance(expected, list) else expected), question


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (("draft",), "JSON has no `tuple`; convert attributes with `writ.as_json`"),
        (Decimal(1), "JSON has no `decimal.Decimal`; convert attributes with `writ.as_json`"),
        ({"a": {1}}, "JSON has no `set`; convert attributes with `writ.as_json`"),
    ],
)
def test_a_value_that_json_does_not_have_is_the_same_error(
    folder: Path, opened: Opened, value: Any, message: str
) -> None:
    """An engine refuses it where a condition reads it (C7), and a client wherever it is."""
    inside, asker = writ.Engine.open(folder / "model.bundle"), opened("http://127.0.0.1:1", discover=False)
    one = DECIDE | {"resource": D1 | {"properties": {"status": value}}}
    found = asked(asker, ("decide", (one,), {}))
    inner = ".a" if isinstance(value, dict) else ""
    assert found[1:4] == (message, f"$.resource.properties.status{inner}", "invalid-request")
    if not inner:
        assert found == answered(inside, ("decide", (one,), {}))
    unread = DECIDE | {"context": {"amounts": [0, value]}}
    assert asked(asker, ("decide", (unread,), {}))[1:3] == (message, f"$.context.amounts[1]{inner}")
    assert answered(inside, ("decide", (unread,), {}))["decision"] is True


@pytest.mark.parametrize(
    ("one", "path"),
    [
        (DECIDE | {"context": {1: "a"}}, "$.context"),
        (DECIDE | {"context": {"a": [float("nan")]}}, "$.context.a[0]"),
        (DECIDE | {"context": {"a": float("inf")}}, "$.context.a"),
        (DECIDE | {"context": {"a": "\ud800"}}, "$"),
    ],
)
def test_what_can_not_be_sent_is_refused_with_its_place(opened: Opened, one: Any, path: str) -> None:
    asker = opened("http://127.0.0.1:1", discover=False)
    assert asked(asker, ("decide", (one,), {}))[2] == path
    (error,) = asker.call("decide_many", [one])
    assert (error["decision"], error["context"]["error"]["status"]) == (False, 400)
