"""The demo model is sound, believable and the same for everyone, and its questions get what they promise."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from writ.api.cli.demo import DemoQuestion, demo_questions, demo_sources
from writ.compiler.model.elements import Model
from writ.runtime import Engine, RateCounters

from tests.support.bundling import demo_bundle
from tests.support.oracle import decide
from tests.support.oracle_rates import Counters, by_slots

# Every answer has to be the same in both: the demo must not change its mind while people read about it.
INSTANTS = [datetime(year, 3, 18, 12, tzinfo=UTC).timestamp() for year in (2026, 2035)]

ROOT = Path(__file__).parents[4]

OPERATORS = {"eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "regex"}
SECTIONS = {"resource_attrs", "subject_attrs", "action_attrs", "context_attrs"}
GATES = {"time_window", "ip_allowlist", "rate_limit"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """Both sources as one model document."""
    whole: dict[str, Any] = {}
    for _, content in demo_sources():
        part = yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        assert part.pop("model") == 1
        assert not whole.keys() & part.keys()
        whole |= part
    return whole


def test_the_bytes_are_the_same_every_time() -> None:
    assert [name for name, _ in demo_sources()] == ["policies.yaml", "organisation.json"]
    program = "import sys; from writ.api.cli.demo import demo_sources; sys.stdout.buffer.write(demo_sources()[1][1])"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", program], env=environment, cwd=ROOT, capture_output=True, check=True
        )
        assert run.stdout == demo_sources()[1][1]


def test_no_member_is_unknown_to_the_model(document: dict[str, Any]) -> None:
    msgspec.convert({"model": 1, **document}, Model)


def test_the_sizes_are_believable(document: dict[str, Any]) -> None:
    users = [s for s in document["subjects"] if s["type"] == "user"]
    assert 300 <= len(users) < 1000
    assert len(document["policies"]) >= 15
    assert len(document["resources"]) >= 300
    assert len({s["attributes"]["name"] for s in users}) == len(users), "two people of one name"


def test_entities_are_listed_once(document: dict[str, Any]) -> None:
    for kind in ("subjects", "resources"):
        for identifier in ("id", "external_id", "name"):
            keys = [(e["type"], e[identifier]) for e in document[kind] if identifier in e]
            assert len(keys) == len(set(keys)), (kind, identifier)


def test_groups_are_nested_three_deep_and_more(document: dict[str, Any]) -> None:
    inner = {g["id"]: {m["group"] for m in g["members"] if "group" in m} for g in document["groups"]}

    def depth(group: str, above: frozenset[str]) -> int:
        return 1 + max((depth(g, above | {g}) for g in inner[group] - above), default=0)

    assert depth("staff", frozenset({"staff"})) == 4
    assert "incident-response" in inner["business-continuity"]
    assert "business-continuity" in inner["incident-response"]


def test_every_group_has_members(document: dict[str, Any]) -> None:
    assert [g["id"] for g in document["groups"] if not g["members"]] == []


def test_references_lead_somewhere(document: dict[str, Any]) -> None:
    ids = {kind: {e["id"] for e in document[kind]} for kind in ("roles", "groups", "resource_types")}
    resources = {(r["type"], r["id"]) for r in document["resources"]}
    assert {a["role"] for a in document["assignments"]} == ids["roles"], "a role that nobody holds, or none"
    assert {a["group"] for a in document["assignments"] if "group" in a} <= ids["groups"]
    assert {m["group"] for g in document["groups"] for m in g["members"] if "group" in m} <= ids["groups"]
    assert {r["type"] for r in document["resources"]} <= ids["resource_types"]
    assert {(g["resource"]["type"], g["resource"]["id"]) for g in document["grants"]} <= resources
    assert {role for p in document["policies"] for role in p.get("roles", [])} == ids["roles"]


def test_attributes_are_the_declared_ones(document: dict[str, Any]) -> None:
    kinds = {"string": str, "number": int, "boolean": bool, "array": list, "object": dict}
    declared = {t["id"]: t["attributes"] for t in document["resource_types"]}
    for resource in document["resources"]:
        types = {key: type(value) for key, value in resource["attributes"].items()}
        assert types == {key: kinds[kind] for key, kind in declared[resource["type"]].items()}, resource["id"]


def test_every_kind_of_condition_is_shown(document: dict[str, Any]) -> None:
    conditions = [p["conditions"] for p in document["policies"] if "conditions" in p]
    assert {section for c in conditions for section in c} == SECTIONS | GATES
    comparisons = [c for conds in conditions for section in SECTIONS & conds.keys() for c in conds[section]]
    assert {c["op"] for c in comparisons} == OPERATORS
    assert {"id", "type"} <= {c["key"] for c in comparisons}
    assert any("." in c["key"] for c in comparisons)
    windows = [c["time_window"] for c in conditions if "time_window" in c]
    members = {"not_before", "not_after", "days", "start", "end", "timezone"}
    assert {member for window in windows for member in window} == members
    assert any("start" in w and w["start"] > w["end"] for w in windows), "no window crosses midnight"


def test_every_kind_of_holding_is_shown(document: dict[str, Any]) -> None:
    policies, grants = document["policies"], document["grants"]
    assert {p["effect"] for p in policies} == {"ALLOW", "DENY"}
    assert sorted({p.get("enabled", True) for p in policies}) == [False, True]
    assert any("roles" not in p for p in policies)
    assert any(t["closed"] for t in document["resource_types"] if "closed" in t)
    assert any(t["id"] != t["name"] for t in document["resource_types"])
    assert any(g["actions"] == ["*"] for g in grants)
    listed = {s["id"] for s in document["subjects"]}
    assert {g["subject"]["id"] for g in grants} - listed, "nobody is registered by a grant alone"
    for facts in (grants, document["assignments"]):
        ends = {f.get("expires_at") for f in facts}
        assert None in ends
        assert any(end and datetime.fromisoformat(end).timestamp() < INSTANTS[0] for end in ends)
        assert any(end and datetime.fromisoformat(end).timestamp() > INSTANTS[-1] for end in ends)


def test_every_policy_explains_itself(document: dict[str, Any]) -> None:
    assert [p["id"] for p in document["policies"] if not p.get("description")] == []


QUESTIONS = [pytest.param(q, id=q.title) for q in demo_questions()]


@pytest.mark.parametrize("now", INSTANTS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_oracle_answers_as_promised(document: dict[str, Any], question: DemoQuestion, now: float) -> None:
    assert decide(document, question.request, now) == promised(question)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled demo; the compiler has nothing to say about it."""
    path = tmp_path_factory.mktemp("demo") / "demo.bundle"
    assert demo_bundle(path) == ()
    return path


@pytest.mark.parametrize("now", INSTANTS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_engine_answers_as_promised(bundle: Path, question: DemoQuestion, now: float) -> None:
    answer = Engine.open(bundle).decide(question.request, now)
    assert answer["context"].pop("reason")
    assert {"decision": answer["decision"], **answer["context"]} == promised(question)


def test_records_managers_export_twenty_documents_an_hour(bundle: Path, document: dict[str, Any]) -> None:
    """The claim of `records-export-in-small-batches`, in the engine and the oracle, which both count."""
    engine, right = Engine.open(bundle, counters=RateCounters()), Counters(by_slots)
    for number in range(22):
        for user in ("marit.vik", "hana.abdi"):
            request = {
                "subject": {"type": "user", "id": user},
                "action": {"name": "export"},
                "resource": {"type": "document", "id": f"d{number}"},
            }
            answer = engine.decide(request, INSTANTS[0] + number)
            expected = decide(document, request, INSTANTS[0] + number, right)
            assert answer["context"].pop("reason")
            assert {"decision": answer["decision"], **answer["context"]} == expected
            assert answer["decision"] is (user != "hana.abdi" and number < 20)
            assert (3_400 < answer["context"].get("retry_after_seconds", 0) < 3_900) is (
                user != "hana.abdi" and number >= 20
            )


def test_the_bundle_is_the_same_every_time(bundle: Path, tmp_path: Path) -> None:
    demo_bundle(tmp_path / "again.bundle")
    assert (tmp_path / "again.bundle").read_bytes() == bundle.read_bytes()


def promised(question: DemoQuestion) -> dict[str, Any]:
    """The members of a decision that the rules name, as the question promises them."""
    answer = msgspec.to_builtins(question)
    return {name: value for name, value in answer.items() if name not in ("title", "request")}


def test_the_questions_cover_every_outcome() -> None:
    allowed = {q.access_path for q in demo_questions() if q.decision}
    denied = {q.reason_code for q in demo_questions() if not q.decision}
    assert allowed == {"direct", "role", "group", "abac"}
    codes = {"NO_POLICY_MATCH", "DENY_OVERRIDE", "EXPLICIT_DENY", "CONDITION_FAILED", "ACTION_NOT_PERMITTED"}
    assert denied == codes
    assert 8 <= len(demo_questions()) <= 12


def test_questions_send_what_is_registered(document: dict[str, Any]) -> None:
    type_ids = {t["name"]: t["id"] for t in document["resource_types"]}
    registered = {(r["type"], r["id"]): r["attributes"] for r in document["resources"]}
    for question in demo_questions():
        asked = question.request["resource"]
        known = registered.get((type_ids[asked["type"]], asked.get("id", "")))
        if known is not None:
            assert asked.get("properties", {}).items() <= known.items(), question.title


def contract(ip: str) -> dict[str, Any]:
    return {"resource": {"type": "contract", "id": "c-001"}, "context": {"ip": ip}}


def scan(time: str) -> dict[str, Any]:
    return {"action": {"name": "add"}, "resource": {"type": "folder", "id": "projects"}, "context": {"time": time}}


def paper(id_: str, context: dict[str, Any], **properties: Any) -> dict[str, Any]:
    return {"resource": {"type": "document", "id": id_, "properties": properties}, "context": context}


def personnel_file(id_: str) -> dict[str, Any]:
    return {"resource": {"type": "personnel_file", "id": id_}}


BOARD = {"classification": "restricted"}
MANAGED = {"mfa": True, "device": {"managed": True}}
CLEARED = {"subject": {"type": "user", "id": "amara.okafor", "properties": {"clearance": 3}}}
DEAL = {"path": "/deals/heron/teaser"}

# What the descriptions in `policies.yaml` claim: who asks, for what (to read, where nothing is said), and the outcome.
CLAIMS = [
    ("jun.strand", contract("10.20.1.2"), "ALLOWED"),
    ("jun.strand", contract("::ffff:10.20.1.2"), "ALLOWED"),
    ("jun.strand", contract("2001:db8:20::7"), "ALLOWED"),
    ("jun.strand", contract("10.21.1.2"), "CONDITION_FAILED"),
    ("noor.moen", scan("2026-03-19T21:59:59+08:00"), "CONDITION_FAILED"),
    ("noor.moen", scan("2026-03-19T22:00:00+08:00"), "ALLOWED"),
    ("noor.moen", scan("2026-03-20T05:59:59+08:00"), "ALLOWED"),
    ("noor.moen", scan("2026-03-20T06:00:00+08:00"), "CONDITION_FAILED"),
    ("noor.moen", scan("2026-03-20T22:00:00+08:00"), "CONDITION_FAILED"),
    ("amara.okafor", scan("2038-01-03T12:00:00Z"), "DENY_OVERRIDE"),
    ("amara.okafor", scan("2038-01-05T00:00:00Z"), "ALLOWED"),
    ("hana.nygard", scan("2026-03-20T12:00:00Z"), "ALLOWED"),
    ("grace.carvalho", scan("2026-03-20T12:00:00Z"), "CONDITION_FAILED"),
    ("amara.okafor", paper("executive-emea-strategy", MANAGED, **BOARD), "CONDITION_FAILED"),
    ("amara.okafor", paper("executive-emea-strategy", MANAGED, **BOARD) | CLEARED, "ALLOWED"),
    ("wanjiru.dlamini", personnel_file("pf-emea-10001"), "ALLOWED"),
    ("priya.strand", personnel_file("pf-emea-10001"), "DENY_OVERRIDE"),
    ("hana.abdi", personnel_file("pf-emea-10015"), "ALLOWED"),
    ("beatriz.ueda", personnel_file("pf-apac-10320"), "DENY_OVERRIDE"),
    ("nora.hale", paper("deal-heron-teaser", {"time": "2030-01-01T00:00:00Z"}, **DEAL), "ALLOWED"),
    ("nora.hale", paper("deal-heron-teaser", {"time": "2037-06-30T16:00:00Z"}, **DEAL), "CONDITION_FAILED"),
    ("translator-17", paper("customers-emea-satisfaction-survey", {}), "ALLOWED"),
    ("paul.renard", paper("audit-emea-findings", {}), "CONDITION_FAILED"),
]


@pytest.mark.parametrize(("user", "asked", "outcome"), CLAIMS)
def test_the_descriptions_are_true(
    bundle: Path, document: dict[str, Any], user: str, asked: dict[str, Any], outcome: str
) -> None:
    request = {"subject": {"type": "user", "id": user}, "action": {"name": "read"}, **asked}
    answer = Engine.open(bundle).decide(request, INSTANTS[0])
    assert answer["context"]["reason_code"] == outcome
    assert decide(document, request, INSTANTS[0])["reason_code"] == outcome
