"""Masks: the paths that they find, and that nothing of a masked value is left anywhere in a record."""

import hmac
import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.api.endpoints.decisions.batch import merged
from writ.api.endpoints.decisions.decision_shapes import ActionSent, EvaluationRequest, ResourceSent, SubjectSent
from writ.api.settings.decision_log_settings import DecisionLogSettings
from writ.api.settings.setting_readers import BadSetting
from writ.api.telemetry.decision_log.entry import Entry, EntryKind
from writ.api.telemetry.decision_log.log_start import decision_log
from writ.api.telemetry.decision_log.mask_key import key_in
from writ.api.telemetry.decision_log.mask_paths import MEMBERS, BadPath, read_path
from writ.api.telemetry.decision_log.masks import (
    HASH_CHARACTERS,
    LONGEST_HASHED,
    MOST_HASHES,
    BadMasks,
    Mask,
    Masks,
    read_masks,
)
from writ.api.telemetry.decision_log.rendering import Rendering

from tests.support.server import running

KEY = b"k" * 32
SECRET = "alice@example.com"


def applied(masks: Masks, environment: str | None, request: bytes) -> bytes | None:
    """The request with the masks of an environment, or None if they are not about it."""
    found = masks.of(environment)
    masked_request, is_masked = (b"", False) if found is None else found.applied(request)
    return masked_request if is_masked else None


def masked(request: Any, path: str, do: Any = "drop") -> Any:
    """The request with one mask, or None if the mask is not about it."""
    found = applied(Masks({"prod": [Mask(path, do)]}, KEY), "prod", json.dumps(request).encode())
    return None if found is None else json.loads(found)


@pytest.mark.parametrize(
    ("path", "request_", "expected"),
    [
        ("$.a.b", {"a": {"b": 1, "c": 2}}, {"a": {"c": 2}}),
        ("$.a.b", {"a.b": 1}, {}),  # conditions find a dotted key as one name too (C1)
        ("$.a.b.c", {"a": {"b.c": 1}}, {"a": {}}),
        ("$.a.b", {"a": {"b": 1}, "a.b": 2}, {"a": {}}),
        ('$.a["b.c"]', {"a": {"b.c": 1, "b": {"c": 2}}}, {"a": {"b": {"c": 2}}}),
        ("$.a[*].x", {"a": [{"x": 1, "y": 2}, {"x": 3}]}, {"a": [{"y": 2}, {}]}),
        ("$.a.x", {"a": [{"x": 1}, {"x": 2}]}, {"a": [{}, {}]}),  # an array on the way is each of its elements
        ("$.a[*]", {"a": [1, 2]}, {"a": []}),
        ("$.a.*", {"a": {"b": 1, "c": [2]}}, {"a": {}}),
        ("$.a", {"a": None}, {}),
        ("$.a.b", {"a": 5}, None),
        ("$.a.b", {"a": {"c": 1}}, None),
        ("$.a.*.x", {"a": {"b.x": 1, "b.y": 2}, "a.b.x": 3, "a.c": {"x": 4}}, {"a": {"b.y": 2}, "a.c": {}}),
        ("$.subject.properties.x", {"subject": {"attributes": {"x": 1}}}, {"subject": {"attributes": {}}}),
        ("$.resource.attributes", {"resource": {"properties": {"x": 1}}}, {"resource": {}}),
        ("$.subject.id", {"options": {"actor": {"id": 1, "type": 2}}}, {"options": {"actor": {"type": 2}}}),
    ],
)
def test_a_path_finds_its_members(path: str, request_: Any, expected: Any) -> None:
    assert masked(request_, path) == expected


def test_equal_values_have_equal_hashes_and_no_others_do() -> None:
    values = [SECRET, SECRET + "x", 1, "1", True, 1.5, [1], {"a": 1, "b": 2}]
    hashes = [masked({"a": value}, "$.a", "hash")["a"] for value in values]
    assert len(set(hashes)) == len(values)
    assert masked({"a": {"b": 2, "a": 1.0}}, "$.a", "hash")["a"] == hashes[-1]  # whatever the order and the form
    assert masked({"a": 1e0}, "$.a", "hash")["a"] == hashes[2]
    for missing in (None, ""):
        assert masked({"a": missing}, "$.a", "hash")["a"] == missing, "it counts as missing, and stays so"
    other = applied(Masks({"prod": [Mask("$.a", "hash")]}, b"x" * 32), "prod", json.dumps({"a": SECRET}).encode())
    assert other is not None
    assert hashes[0].encode() not in other


def test_the_hashes_that_are_remembered_are_right_and_bounded() -> None:
    masks = Masks({"prod": [Mask("$.a", "hash")]}, KEY)
    values = [*range(MOST_HASHES + 1), "x" * LONGEST_HASHED, *range(3)]
    for value in [*values, *values]:
        found = applied(masks, "prod", json.dumps({"a": value}).encode())
        expected = hmac.new(KEY, json.dumps(value).encode(), "sha256").hexdigest()[:HASH_CHARACTERS]
        assert found == json.dumps({"a": f"hmac-sha256:{expected}"}, separators=(",", ":")).encode()
    assert 0 < len(masks._hashes) <= MOST_HASHES
    assert all(len(text) <= LONGEST_HASHED for text in masks._hashes)


def test_of_a_name_that_stands_twice_nothing_is_left() -> None:
    """Writ reads the last one. The record must not have the first one, whether or not a mask hit the last."""
    masks = Masks({"*": [Mask("$.context.ip", "drop")]})
    for request in (b'{"context":{"ip":"SECRET"},"context":{}}', b'{"context":{"ip":"SECRET","ip":1}}'):
        (record,) = Rendering(merged, masks).records(entry_of(EntryKind.EVALUATION, request, {"decision": True}))
        assert record.request is not None
        assert bytes(record.request) == b'{"context":{}}'


def test_the_record_of_a_search_has_no_filter_where_there_are_masks() -> None:
    """A filter has values of the subject, where a policy compares with one, and ids of granted resources."""
    answer = {"filter": {"type": "field", "field": "owner", "operator": "eq", "value": SECRET}, "context": {}}
    masks = Masks({"*": [Mask("$.resource.id", "hash")]}, KEY)
    for kept, rendering in ((True, Rendering(merged)), (False, Rendering(merged, masks))):
        (record,) = rendering.records(entry_of(EntryKind.SEARCH, b'{"resource":{"type":"document"}}', answer))
        assert (SECRET.encode() in msgspec.json.encode(record)) == kept
        assert record.masked != kept


def entry_of(kind: EntryKind, request: bytes, answer: Any) -> Entry:
    return Entry(kind, b"x-1", 0, 0, "prod", 1, request, msgspec.json.encode(answer), "c", None, None)


def test_masks_are_of_their_environment_and_of_all() -> None:
    masks = Masks({"*": [Mask("$.a", "drop")], "prod": [Mask("$.b", "drop")]})
    body = b'{"a":1,"b":2,"c":3}'
    assert applied(masks, "prod", body) == b'{"c":3}'
    assert applied(masks, "test", body) == applied(masks, None, body) == b'{"b":2,"c":3}'
    assert Masks({"prod": [Mask("$.b", "drop")]}).of("test") is None


@pytest.mark.parametrize("text", ["", "$", "a.b", "$.", "$..a", "$.a[0]", '$["a', "$.a b", "$" + ".a" * 33])
def test_a_path_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadPath, match="is no path"):
        read_path(text)


@pytest.mark.parametrize(
    "text", [b"", b"[]", b'{"prod": {}}', b'{"prod": [{"path": "$.a"}]}', b'{"p": [{"path": "$.a", "do": "x"}]}']
)
def test_masks_that_are_none_are_refused(text: bytes) -> None:
    with pytest.raises(BadMasks, match="can't be read"):
        read_masks(text)


def test_hashes_need_a_key() -> None:
    with pytest.raises(BadMasks, match="WRIT_DECISION_LOG_HASH_KEY"):
        Masks({"prod": [Mask("$.a", "hash")]})


def test_the_key_of_a_file(tmp_path: Path) -> None:
    """A missing or short key keeps the service from its start: nothing is logged without the hashes asked for."""
    file, masks = tmp_path / "key", '{"*": [{"path": "$.subject.id", "do": "hash"}]}'
    for content, key in ((b"k" * 40 + b"\r\n", b"k" * 40), (bytes(range(32)), bytes(range(32)))):
        file.write_bytes(content)
        assert key_in(file) == key
    settings = DecisionLogSettings(target="-", masks=masks, hash_key_file=str(file))
    log = logging.getLogger("tests.masks")
    file.write_text("short")
    with pytest.raises(BadSetting, match="must have 32 characters at least"):
        decision_log(settings, tmp_path, merged, log)
    file.unlink()
    with pytest.raises(FileNotFoundError):
        decision_log(settings, tmp_path, merged, log)
    with pytest.raises(BadSetting, match="are both set"):
        decision_log(replace(settings, hash_key="k" * 32), tmp_path, merged, log)


def test_a_request_of_too_many_levels_goes_without_its_request() -> None:
    deep = b'{"context":{"ip":' + b"[" * 900 + b"]" * 900 + b"}}"
    masks = Masks({"*": [Mask("$.context.ip.x", "drop")]})
    (record,) = Rendering(merged, masks).records(entry_of(EntryKind.EVALUATION, deep, {"decision": True}))
    assert (record.request, record.masked) == (None, True)


@pytest.mark.parametrize(
    ("path", "unknown"),
    [
        ("$.subject.propertys.email", "subject.propertys"),
        ("$.subjects.id", "subjects"),
        ("$.action.id", "action.id"),
        ("$.evaluations[*].subject.id", "evaluations"),
        ("$.subject", None),
        ("$.subject.*.email", None),
        ("$.*.propertys", None),
        ("$.context.anything", None),
        ("$.resource.name", None),
    ],
)
def test_a_path_that_leads_nowhere_is_doubted(path: str, unknown: str | None) -> None:
    found = list(Masks({"*": [Mask(path, "drop")]}).doubts(None))
    said = f"the mask `{path}` of the decision log hides nothing: no request has `{unknown}`"
    assert found == ([] if unknown is None else [said])


def test_an_environment_that_does_not_exist_is_doubted() -> None:
    masks = Masks({name: [Mask("$.subject.id", "drop")] for name in ("*", "prod", "prodd")})
    said = "the masks of the decision log name the environment `prodd`, which does not exist"
    assert list(masks.doubts(["default", "prod"])) == [said]
    assert list(masks.doubts(None)) == [], "an agent does not know all environments"


def test_the_members_are_those_of_requests() -> None:
    """A member that Writ reads, and the table lacks, would be doubted wrongly."""
    shapes = {"subject": SubjectSent, "resource": ResourceSent, "action": ActionSent}
    for name, shape in shapes.items():
        assert MEMBERS[name] == {*shape.__struct_fields__}
    assert {*MEMBERS} == {*EvaluationRequest.__struct_fields__, "page"}


def test_a_service_warns_of_masks_that_hide_nothing(tmp_path: Path) -> None:
    masks = {"prodd": [{"path": "$.subject.propertys.email", "do": "drop"}]}
    settings = {"WRIT_DECISION_LOG_MASKS": json.dumps(masks)}
    log = ("--decision-log", str(tmp_path / "decisions.jsonl"))
    with running(tmp_path / "data", *log, settings=settings) as server:
        assert "name the environment `prodd`, which does not exist" in server.log
        assert "the mask `$.subject.propertys.email` of the decision log hides nothing" in server.log


PATHS = ("$.subject.id", "$.subject.properties.email", "$.resource.id", "$.context.email", "$.action.properties.email")
TEXTS = st.text(st.characters(codec="utf-8"), min_size=6, max_size=12).map(lambda text: f"~{text}~")


@given(TEXTS, st.sampled_from(PATHS), st.sampled_from(["drop", "hash"]), st.booleans(), st.booleans())
def test_nothing_of_a_masked_value_is_left_in_a_record(
    secret: str, path: str, do: Any, is_item: bool, fails: bool
) -> None:
    """Also if the answer quotes it: in its reason, its error or its proof."""
    request: dict[str, Any] = {"subject": {"type": "user"}, "resource": {"type": "document"}, "action": {"name": "x"}}
    *steps, last = read_path(path)
    place = request
    for step in steps:
        place = place.setdefault(step, {})
    place[last] = secret
    context: dict[str, Any] = {"reason_code": "ALLOWED", "reason": f"`{secret}`", "explanation": {"actual": secret}}
    if fails:
        context = {"error": {"status": 400, "message": f"{secret} is bad"}}
    answer: dict[str, Any] = {"decision": False, "context": context}
    if is_item:
        request, answer = {"evaluations": [request]}, {"evaluations": [answer]}
    kind = EntryKind.ITEM if is_item else EntryKind.EVALUATION
    rendering = Rendering(merged, Masks({"*": [Mask(path, do)]}, KEY))
    encode = msgspec.json.encode
    (record,) = rendering.records(
        Entry(kind, b"x-1", 0, 0, "prod", 1, encode(request), encode(answer), "c", None, None)
    )
    text = encode(record)
    assert json.dumps(secret, ensure_ascii=False).encode()[1:-1] not in text
    assert record.masked
    assert (record.request is None) == fails
