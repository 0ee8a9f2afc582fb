"""`POST …/rights` tells on which resources subjects may do actions, as decisions do (issue 34, item 7)."""

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from writ.api.endpoints.insight.rights import MOST_RIGHTS

from tests.support import oracle
from tests.support.oracle_entities import registered_resources, registered_subjects
from tests.support.server import running
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request as request_near

Row = dict[str, Any]
SEEDS = range(34_100, 34_108)
TRIED = 20  # requests with other contexts and attributes of the action, for each right
EITHER = {"some": {True, False}, "all": {True}, "none": {False}}


MODEL = {
    "resource_types": [{"id": "doc", "name": "document", "actions": ["read", "share"]}],
    "roles": [{"id": "editor"}],
    "subjects": [{"type": "user", "id": "ana"}, {"type": "user", "id": "bo"}],
    "resources": [{"type": "doc", "id": "d1"}],
    "assignments": [{"id": "a1", "role": "editor", "subject": {"type": "user", "id": "ana"}}],
    "grants": [
        {
            "id": "g1",
            "subject": {"type": "user", "id": "bo"},
            "resource": {"type": "doc", "id": "d1"},
            "actions": ["read"],
        }
    ],
    "policies": [
        {
            "id": "p1",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}],
        },
        {
            "id": "p2",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "doc", "actions": ["share"]}],
            "conditions": {"action_attrs": [{"key": "watermark", "op": "eq", "value": True}]},
        },
    ],
}
ANA, BO = {"type": "user", "id": "ana"}, {"type": "user", "id": "bo"}
DOCUMENT = {"type": "document", "actions": ["read", "share"]}


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("rights")
    (model := folder / "model.json").write_text(json.dumps({"model": 1, **MODEL}))
    with running(folder / "data", "--import", str(model)) as server, server.client() as client:
        yield client


def told(http: httpx.Client, subjects: list[Row], resources: list[Row], env: str = "default") -> list[Row]:
    answer = http.post(f"/v1/environments/{env}/rights", json={"subjects": subjects, "resources": resources})
    assert answer.status_code == 200, answer.text
    return list(answer.json()["rights"])


def attributes_of(document: Row, kind: str, key: tuple[str, str]) -> Row:
    return next((one.get("attributes") or {} for one in document.get(kind, ()) if (one["type"], one["id"]) == key), {})


def decisions(document: Row, subject: tuple[str, str], type: Row, action: str) -> Iterator[bool]:
    """The oracle's, for each registered resource with all that is stored, and whatever a request may say besides."""
    others = [request_near(Pick.seeded(at), document) for at in range(TRIED)]
    for id in {id for of, id in registered_resources(document) if of == type["id"]}:
        for other in ({}, *others):
            asked = {
                "subject": {
                    "type": subject[0],
                    "id": subject[1],
                    "properties": attributes_of(document, "subjects", subject),
                },
                "action": {"name": action, "properties": (other.get("action") or {}).get("properties") or {}},
                "resource": {
                    "type": type.get("name") or type["id"],
                    "id": id,
                    "properties": attributes_of(document, "resources", (type["id"], id)),
                },
                "context": other.get("context") or {},
            }
            yield bool(oracle.decide(document, asked, time.time())["decision"])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_word_is_true_of_each_resource(seed: int, http: httpx.Client) -> None:
    """A rate limit counts in no search, so there is none (C10)."""
    document, _, _ = seeded_case(seed)
    document.pop("requests", None)  # strict ones refuse some questions
    for policy in document.get("policies", ()):
        policy.get("conditions", {}).pop("rate_limit", None)
    http.post("/v1/environments", json={"id": f"r{seed}"}).raise_for_status()
    http.put(f"/v1/environments/r{seed}/model", json={"model": 1, **document}).raise_for_status()
    subjects, types = sorted(set(registered_subjects(document))), document.get("resource_types", [])
    asked = [{"type": type.get("name") or type["id"], "actions": type["actions"]} for type in types]
    found = iter(told(http, [{"type": one[0], "id": one[1]} for one in subjects], asked, f"r{seed}"))
    for subject in subjects:
        for type in types:
            for action in type["actions"]:
                right = next(found)
                assert (right["subject"]["id"], right["action"]) == (subject[1], action)
                if not right["left_open"]:
                    answers = {*decisions(document, subject, type, action)}
                    assert answers <= EITHER[right["on"]], right
    assert next(found, None) is None


def test_the_rights_are_in_the_order_of_the_question(http: httpx.Client) -> None:
    """S6: an action that depends on an attribute of the action is no "none" that leaves nothing open."""
    words = [(one["on"], one["left_open"]) for one in told(http, [ANA, BO], [DOCUMENT])]
    assert words == [("all", []), ("none", ["action.watermark"]), ("some", []), ("none", [])]
    assert told(http, [], [DOCUMENT]) == told(http, [ANA], []) == []


def test_what_is_not_known_is_none(http: httpx.Client) -> None:
    (of_type,) = told(http, [ANA], [{"type": "nothing", "actions": ["read"]}])
    (of_subject,) = told(http, [{"type": "user", "id": "nobody"}], [{"type": "document", "actions": ["read"]}])
    assert of_type["on"] == of_subject["on"] == "none"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"subjects": [ANA]}, "`resources` is missing"),
        ({"subjects": [{"type": "user"}], "resources": []}, "`id` is missing"),
        ({"subjects": [ANA], "resources": [{"type": "document", "actions": []}]}, "$.resources[0].actions"),
        ({"subjects": [ANA], "resources": [], "context": {}}, "there is no member `context` here"),
        (
            {"subjects": [ANA] * (MOST_RIGHTS // 2 + 1), "resources": [DOCUMENT]},
            f"ask for {MOST_RIGHTS:,} rights at most",
        ),
    ],
)
def test_a_malformed_question_is_refused(body: Row, said: str, http: httpx.Client) -> None:
    answer = http.post("/v1/environments/default/rights", json=body)
    assert answer.status_code == 400
    assert answer.json()["details"][0]["code"] == "bad-question"
    assert said in json.dumps(answer.json(), ensure_ascii=False)


def conditions(**given: list[Row]) -> Row:
    return {"conditions": given}


def policy(id: str, effect: str = "ALLOW", roles: list[str] | None = None, **more: Any) -> Row:
    types = [{"resource_type_id": "doc", "actions": ["read"]}]
    return {"id": id, "effect": effect, "resource_types": types, **({"roles": roles} if roles else {}), **more}


RATE = {"limit": 5, "window_seconds": 60}
SOURCES: Row = {
    "model": 1,
    "extensions": ["references", "now"],
    "resource_types": [{"id": "doc", "name": "document", "actions": ["read", "send"]}],
    "roles": [{"id": "editor"}, {"id": "guest"}],
    "groups": [{"id": "staff", "members": [{"type": "user", "id": "cy"}]}],
    "subjects": [{"type": "user", "id": "ana", "attributes": {"level": 3, "until": "2031-01-01T00:00:00Z"}}],
    "assignments": [
        {"id": "a1", "role": "editor", "subject": {"type": "user", "id": "ana"}},
        {"id": "a2", "role": "editor", "group": "staff"},
    ],
    "grants": [{"id": "g1", "group": "staff", "resource": {"type": "doc", "id": "d1"}, "actions": ["read"]}],
    "policies": [
        policy("low", roles=["editor"], **conditions(subject_attrs=[{"key": "level", "op": "lt", "value": 2}])),
        policy("high", roles=["editor"], **conditions(subject_attrs=[{"key": "level", "op": "gt", "value": 2}])),
        policy("lacking", **conditions(subject_attrs=[{"key": "badge", "op": "ne", "value": 1}])),
        policy("for guests", roles=["guest"]),
        policy("mfa", **conditions(context_attrs=[{"key": "mfa", "op": "eq", "value": True}])),
        policy("of the row", **conditions(resource_attrs=[{"key": "least", "op": "lt", "value_of": "subject.level"}])),
        policy("of no row", **conditions(resource_attrs=[{"key": "type", "op": "eq", "value": "folder"}])),
        policy("until", **conditions(subject_attrs=[{"key": "until", "op": "gt", "value_of": "now"}])),
        policy("frozen", "DENY", **conditions(resource_attrs=[{"key": "frozen", "op": "eq", "value": True}])),
        policy("too low", "DENY", **conditions(subject_attrs=[{"key": "level", "op": "lt", "value": 2}])),
        policy("away", "DENY", conditions={"ip_allowlist": ["10.0.0.0/8"]}),
        policy("off", enabled=False),
        policy(
            "limited",
            resource_types=[{"resource_type_id": "doc", "actions": ["send"]}],
            conditions={"rate_limit": RATE},
        ),
    ],
}


@pytest.fixture(scope="module")
def sourced(http: httpx.Client) -> httpx.Client:
    http.post("/v1/environments", json={"id": "sources"}).raise_for_status()
    http.put("/v1/environments/sources/model", json=SOURCES).raise_for_status()
    return http


def sources_of(http: httpx.Client, action: str = "read", **holder: Any) -> Row:
    body = {"resources": [{"type": "document", "actions": [action]}], "sources": True, **holder}
    (right,) = http.post("/v1/environments/sources/rights", json=body).json()["rights"]
    return dict(right)


def test_a_right_comes_from_what_holds_for_this_person_and_denies_count(sourced: httpx.Client) -> None:
    """The browser looked at roles, type and action alone, and named policies whose conditions fail, and no DENY."""
    right = sources_of(sourced, subjects=[ANA])
    found = {one["id"]: (one["effect"], one["on"], one.get("left_open", [])) for one in right["sources"]}
    assert found == {
        "frozen": ("DENY", "some", []),
        "away": ("DENY", "all", ["context.ip"]),
        "high": ("ALLOW", "all", []),
        "mfa": ("ALLOW", "all", ["context.mfa"]),
        "of the row": ("ALLOW", "some", []),
        "until": ("ALLOW", "all", ["context.time"]),
    }


def test_the_policies_that_do_not_count_are_named_apart(sourced: httpx.Client) -> None:
    found = {one["id"]: one["effect"] for one in sources_of(sourced, subjects=[ANA])["others"]}
    assert found == {"low": "ALLOW", "lacking": "ALLOW", "for guests": "ALLOW", "of no row": "ALLOW", "too low": "DENY"}


def test_a_source_says_by_which_role_and_group_it_is_held(sourced: httpx.Client) -> None:
    """A person who is only named by a group has no attributes, so conditions on them fail."""
    right = sources_of(sourced, subjects=[{"type": "user", "id": "cy"}])
    assert {one["id"]: one.get("held_by") for one in right["sources"]} == {
        "frozen": None,
        "away": None,
        "mfa": None,
        "g1": {"group": "staff"},
    }
    (high,) = (one for one in sources_of(sourced, subjects=[ANA])["sources"] if one["id"] == "high")
    assert high["held_by"] == {"role": "editor"}


def test_a_rate_limit_is_left_open(sourced: httpx.Client) -> None:
    """A filter says that it leaves rate limits open: "all" without an "if" was no true word."""
    right = sources_of(sourced, "send", subjects=[ANA])
    assert (right["on"], right["left_open"]) == ("all", ["rate_limit"])
    assert right["others"] == []
    assert right["sources"] == [
        {"kind": "policy", "id": "limited", "effect": "ALLOW", "on": "all", "left_open": ["rate_limit"]}
    ]
    assert sources_of(sourced, "send", roles=["guest"])["left_open"] == ["rate_limit"]


def test_a_rate_limit_beside_a_right_without_one_is_not(http: httpx.Client) -> None:
    model = SOURCES | {
        "policies": [
            *SOURCES["policies"],
            policy("free", conditions={}),
            policy("slow", conditions={"rate_limit": RATE}),
        ]
    }
    http.post("/v1/environments", json={"id": "free"}).raise_for_status()
    http.put("/v1/environments/free/model", json=model).raise_for_status()
    (right,) = told(http, [ANA], [{"type": "document", "actions": ["read"]}], "free")
    assert "rate_limit" not in right["left_open"]


def test_the_rights_of_a_role(sourced: httpx.Client) -> None:
    guest, editor = (sources_of(sourced, roles=[role]) for role in ("guest", "editor"))
    assert "for guests" in [one["id"] for one in guest["sources"]]
    assert {"low", "high", "too low"} <= {one["id"] for one in editor["sources"]}
    assert (guest["role"], guest["on"], guest["left_open"]) == ("guest", "some", ["context.ip", "subject.level"])
    assert "subject" not in guest


def test_the_sources_of_many_grants_are_cut(sourced: httpx.Client) -> None:
    grants = [
        {"id": f"many{n:03}", "subject": BO, "resource": {"type": "doc", "id": f"d{n}"}, "actions": ["send"]}
        for n in range(150)
    ]
    sourced.put("/v1/environments/sources/model", json=SOURCES | {"grants": grants}).raise_for_status()
    right = sources_of(sourced, "send", subjects=[BO])
    assert (len(right["sources"]), right["cut"]) == (100, True)
    sourced.put("/v1/environments/sources/model", json=SOURCES).raise_for_status()
