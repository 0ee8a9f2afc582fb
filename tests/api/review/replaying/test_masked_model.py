"""Masked logs: the model hashed alike decides as the model did, wherever it is compared at all."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from writ.api.endpoints.decisions.batch import merged
from writ.api.review.replaying.masked_model import MaskedModel, UnusableMasks, masked_model
from writ.api.review.replaying.replayed_record import (
    ChangedAnswer,
    MaskedLog,
    NotCompared,
    Replayed,
    compared,
)
from writ.api.telemetry.decision_log.entry import MICROSECONDS, Entry, EntryKind
from writ.api.telemetry.decision_log.masks import EnvironmentMasks, Mask, Masks
from writ.api.telemetry.decision_log.record import ENCODER, ReadRecord
from writ.api.telemetry.decision_log.rendering import Rendering
from writ.bundles import zones
from writ.bundles.file.in_memory import bundle_in_memory
from writ.compiler.compile import compile_model
from writ.compiler.load import load
from writ.compiler.model.elements import Model
from writ.compiler.source import Source
from writ.runtime import BadRequest, Engine, RateCounters

from tests.support.strategies import documents, instants, requests
from tests.support.strategies_values import KEYS

KEY = b"k" * 32
LAST = 253_402_300_799_999_999
SECTIONS = {
    "subject_attrs": '$["subject"]["properties"]',
    "resource_attrs": '$["resource"]["attributes"]',
    "action_attrs": '$["action"]["properties"]',
    "context_attrs": '$["context"]',
}
NAMES = ("$.subject.id", "$.subject.external_id", "$.resource.id", "$.resource.external_id", "$.resource.name")
EQUALITY = ("eq", "ne", "in", "nin", "has", "has_any", "has_none")
APART = {"a": "b", "a.b.c": "a.b", "a.": "b", "id.a": "b"}
"""Other keys for some: so no key is the beginning of another, which a hash of the whole value would hide."""

OTHERS = (["*"], ["a", "*"], ["time"], ["ip"])
ANY_PATH = st.one_of(
    st.sampled_from([*NAMES, "$.subject.*", "$.context", "$.subject.properties", "$.resource.*.b", "$.context.*.b"]),
    st.builds(
        lambda place, key: place + "".join(f'["{step}"]' for step in key),
        st.sampled_from([*SECTIONS.values()]),
        st.sampled_from([*([key] for key in KEYS), *(key.split(".") for key in KEYS), *OTHERS]),
    ),
)


def model_of(document: dict[str, Any]) -> Model:
    loaded = load([Source("model.json", json.dumps({"model": 1} | document).encode())], zones.zone_names())
    assert loaded.model is not None, loaded.diagnostics
    return loaded.model


def engine_of(model: Model) -> Engine:
    compiled = compile_model(model, zones.zone_data, zones.VERSION)
    return Engine(bundle_in_memory(compiled.write), counters=RateCounters())


def record_of(engine: Engine, request: dict[str, Any], masks: Masks, instant: int = 0) -> ReadRecord:
    """The record of a request, as a replay reads it. Raises BadRequest: no server logs such a request."""
    answer = ENCODER.encode(engine.decide(request, instant / MICROSECONDS))
    entry = Entry(EntryKind.EVALUATION, b"p-1", instant, 7, None, 1, ENCODER.encode(request), answer, "c", None, None)
    (record,) = Rendering(merged, masks).records(entry)
    return json_decoded(ENCODER.encode(record))


def json_decoded(line: bytes) -> ReadRecord:
    return msgspec.json.decode(line, type=ReadRecord)


def of_all(masks: Masks) -> EnvironmentMasks:
    found = masks.of(None)
    assert found is not None
    return found


def replayed(masked: MaskedModel, masks: Masks) -> Replayed:
    return Replayed(engine_of(masked.model), None, MaskedLog(of_all(masks), masked.hidden))


def without_rates(document: dict[str, Any]) -> dict[str, Any]:
    for policy in document.get("policies", []):
        policy.get("conditions", {}).pop("rate_limit", None)
    return document


def with_equality_alone(document: dict[str, Any]) -> dict[str, Any]:
    """A document whose policies compare by equality alone, and by keys that are apart, without declared attributes."""
    for policy in document.get("policies", []):
        sections = policy.get("conditions", {})
        policy["conditions"] = {
            section: [
                one | {"key": APART.get(one["key"], one["key"])}
                for one in sections[section]
                if one["op"] in EQUALITY[:4] and "value" in one
            ]
            for section in SECTIONS
            if section in sections
        }
    for type in document.get("resource_types", []):
        type.pop("attributes", None)
    return {name: rows for name, rows in document.items() if name not in LEFT_OUT}


def logged(data: Any, document: dict[str, Any], masks: Masks) -> tuple[Model, list[ReadRecord]]:
    model = model_of(document)
    engine, found = engine_of(model), []
    for request in data.draw(st.lists(requests(document), min_size=1, max_size=6)):
        instant = min(max(int(data.draw(instants()) * MICROSECONDS), 0), LAST)
        try:
            found.append(record_of(engine, request, masks, instant))
        except (BadRequest, UnicodeEncodeError):  # no server answers them
            continue
    return model, found


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.data())
def test_no_answer_of_a_masked_log_changes_by_the_masks(data: Any) -> None:
    """For every model and every mask: the answer is the same, or Writ says that it does not know."""
    document = without_rates(data.draw(documents()))
    pairs = data.draw(st.lists(st.tuples(ANY_PATH, st.sampled_from(["hash", "hash", "drop"])), min_size=1, max_size=3))
    masks = Masks({"*": [Mask(path, do) for path, do in pairs]}, KEY)
    model, records = logged(data, document, masks)
    try:
        asked = replayed(masked_model(model, of_all(masks)), masks)
    except UnusableMasks:
        assume(False)
    assert not [one for one in (compared(asked, record) for record in records) if isinstance(one, ChangedAnswer)]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_model_that_compares_by_equality_decides_all_of_a_hashed_log_alike(data: Any) -> None:
    document = with_equality_alone(data.draw(documents()))
    keys = {
        (section, key)
        for policy in document.get("policies", [])
        for section, conditions in policy["conditions"].items()
        for key in (one["key"] for one in conditions)
        if (section, key) not in (("subject_attrs", "id"), ("resource_attrs", "id"))
        and (section[:8], key) not in (("subject_", "type"), ("resource", "type"))
    }
    paths = [SECTIONS[section] + "".join(f'["{step}"]' for step in key.split(".")) for section, key in sorted(keys)]
    hidden = data.draw(st.lists(st.sampled_from([*NAMES, *paths]), min_size=1, max_size=4, unique=True))
    masks = Masks({"*": [Mask(path, "hash") for path in hidden]}, KEY)
    model, records = logged(data, document, masks)
    masked = masked_model(model, of_all(masks))
    assert masked.reasons == ()
    asked = replayed(masked, masks)
    assert [compared(asked, record) for record in records] == [None] * len(records)
    plain = [record_of(engine_of(model), record.request, Masks()) for record in records if not record.masked]
    assert [compared(asked, record) for record in plain] == [None] * len(plain), "they were logged without masks"


LEFT_OUT = ("attributes", "extensions", "requests", "routes")
READ: list[dict[str, Any]] = [{"resource_type_id": "document", "actions": ["read"]}]
ASKED = {
    "subject": {"type": "user", "id": "u1"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}


def model_with(conditions: dict[str, Any]) -> dict[str, Any]:
    types = [{"id": "document", "actions": ["read", "update"]}]
    policy = {"id": "p", "effect": "ALLOW", "resource_types": READ, "conditions": conditions}
    return {"resource_types": types, "policies": [policy], "extensions": ["arrays", "references"]}


@pytest.mark.parametrize(
    ("conditions", "path", "said"),
    [
        ({"context_attrs": [{"key": "n", "op": "gt", "value": 1}]}, "$.context.n", "`n` by `gt`"),
        ({"context_attrs": [{"key": "n", "op": "regex", "value": "a"}]}, "$.context.n", "`n` by `regex`"),
        ({"context_attrs": [{"key": "n.m", "op": "eq", "value": 1}]}, "$.context.n", "`n.m` by `eq`"),
        ({"resource_attrs": [{"key": "n", "op": "has", "value": 1}]}, "$.resource.properties.n", "`n` by `has`"),
        (
            {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]},
            "$.subject.id",
            "`owner` with `subject.id`",
        ),
        ({"time_window": {"days": ["mon"]}}, "$.context.time", "its time window reads `context.time`"),
        ({"ip_allowlist": ["10.0.0.0/8"]}, "$.context.ip", "its list of addresses reads `context.ip`"),
    ],
)
def test_what_the_masks_hide_is_told_and_not_compared(conditions: dict[str, Any], path: str, said: str) -> None:
    masks = Masks({"*": [Mask(path, "hash")]}, KEY)
    model = model_of(model_with(conditions))
    masked = masked_model(model, of_all(masks))
    (reason,) = masked.reasons
    assert said in reason
    asked, engine = replayed(masked, masks), engine_of(model)
    assert compared(asked, record_of(engine, ASKED, masks)) is NotCompared.HIDDEN
    assert compared(asked, record_of(engine, ASKED | {"action": {"name": "update"}}, masks)) is None


def test_elements_that_are_hashed_one_by_one_stay_comparable() -> None:
    conditions = {"resource_attrs": [{"key": "n", "op": "has_any", "value": ["x", 1]}]}
    masks = Masks({"*": [Mask("$.resource.properties.n[*]", "hash")]}, KEY)
    model = model_of(model_with(conditions))
    masked, engine = masked_model(model, of_all(masks)), engine_of(model)
    assert masked.reasons == ()
    for value in (["x"], ["y"], [1.0], [], "x"):
        request = ASKED | {"resource": ASKED["resource"] | {"properties": {"n": value}}}
        assert compared(replayed(masked, masks), record_of(engine, request, masks)) is None


@pytest.mark.parametrize(
    ("path", "do", "said"),
    [
        ("$.resource.type", "hash", "the masks hide `$.resource.type`"),
        ("$.subject", "hash", "the masks hide `$.subject.type`"),
        ("$.*.name", "drop", "hide"),
        ("$.subject.id", "drop", "the masks drop `$.subject.id`, so no record can be decided again; let masks hash it"),
    ],
)
def test_masks_under_which_nothing_can_be_decided_are_refused(path: str, do: Any, said: str) -> None:
    with pytest.raises(UnusableMasks) as refused:
        masked_model(model_of(model_with({})), of_all(Masks({"*": [Mask(path, do)]}, KEY)))
    assert said in str(refused.value)


def test_a_log_of_another_key_or_of_other_masks_is_not_compared(tmp_path: Path) -> None:
    """Else denials would look the same, since hashes of another key equal nothing."""
    used = Masks({"*": [Mask("$.subject.id", "hash")]}, KEY)
    model = model_of(model_with({}))
    asked = replayed(masked_model(model, of_all(used)), used)
    for masks in (
        Masks({"*": [Mask("$.subject.id", "hash")]}, b"x" * 32),
        Masks({"*": [Mask("$.subject.id", "hash"), Mask("$.context.ip", "drop")]}, KEY),
    ):
        assert compared(asked, record_of(engine_of(model), ASKED, masks)) is NotCompared.MASKED
    assert compared(asked, record_of(engine_of(model), ASKED, used)) is None
    assert compared(Replayed(engine_of(model)), record_of(engine_of(model), ASKED, used)) is NotCompared.MASKED
