"""`writ replay`: the same bundle changes no answer, and another one changes exactly those that the oracle says."""

import gzip
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from writ.api.endpoints.decisions.batch import merged
from writ.api.endpoints.gateway.gateway import as_logged
from writ.api.review.replaying.replayed_record import Replayed
from writ.api.review.replaying.report import as_json
from writ.api.review.replaying.tally import tally
from writ.api.telemetry.decision_log.entry import MICROSECONDS, Entry, EntryKind
from writ.api.telemetry.decision_log.mask_key import key_in
from writ.api.telemetry.decision_log.masks import Masks, read_masks
from writ.api.telemetry.decision_log.record import ENCODER
from writ.api.telemetry.decision_log.rendering import Rendering
from writ.bundles.conditions.values import Unreadable
from writ.runtime import BadRequest, Engine, RateCounters

from tests.support import oracle
from tests.support.bundling import bundle_file, engine_for, engine_with_registry
from tests.support.command import WRIT, writ
from tests.support.strategies import documents, instants, requests

MODEL: dict[str, Any] = {
    "resource_types": [{"id": "document", "actions": ["read", "update"]}],
    "policies": [
        {
            "id": "readers",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "status", "op": "eq", "value": "open"}]},
        },
    ],
}
LIMITED: dict[str, Any] = {
    "resource_types": MODEL["resource_types"],
    "policies": [MODEL["policies"][0] | {"conditions": {"rate_limit": {"limit": 1, "window_seconds": 60}}}],
}
NOW = 1_795_383_171_123_456
LAST = 253_402_300_799_999_999
GROWTH_KILOBYTES = 60_000


def asked(status: str = "open", action: str = "read") -> dict[str, Any]:
    resource = {"type": "document", "id": "d1", "properties": {"status": status}}
    return {"subject": {"type": "user", "id": "alice"}, "action": {"name": action}, "resource": resource}


def logged(
    engine: Engine, request: dict[str, Any], instant: int = NOW, kind: EntryKind = EntryKind.EVALUATION, **options: Any
) -> bytes:
    """The line that a server writes of a request."""
    now = instant / MICROSECONDS
    answer = engine.decide(request, now) if kind is EntryKind.EVALUATION else engine.filter(request, now)
    entry = Entry(kind, b"p-1", instant, 7, None, 1, ENCODER.encode(request), ENCODER.encode(answer), "c", None, None)
    (record,) = Rendering(merged, **options).records(entry)
    return ENCODER.encode(record)


def replayed(folder: Path, lines: bytes, bundle: Path, *more: str) -> tuple[int, dict[str, Any]]:
    """Exit code and JSON of the command."""
    log = folder / "log"
    log.write_bytes(lines)
    done = writ("replay", log, bundle, "--format", "json", *more)
    assert b"Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout) if done.stdout else {"error": done.stderr.decode()}


def without_rates(document: dict[str, Any]) -> dict[str, Any]:
    """A document without rate limits, whose outcome a log does not tell."""
    policies = [
        policy | {"conditions": {k: v for k, v in policy.get("conditions", {}).items() if k != "rate_limit"}}
        for policy in document.get("policies", [])
    ]
    return document | {"policies": policies}


def told(answer: dict[str, Any]) -> tuple[Any, ...]:
    """What is compared of the oracle's answer."""
    decider = answer.get("policy_id") or answer.get("denied_by")
    return answer["decision"], answer["reason_code"], decider, answer["access_path"] == "direct"


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_replay_changes_exactly_what_the_oracle_says(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    """With the same bundle nothing, with another one the oracle's differences."""
    folder = tmp_path_factory.getbasetemp()
    before = without_rates(data.draw(documents()))
    before["policies"] = before.get("policies", [])
    kept = data.draw(st.lists(st.booleans(), min_size=len(before["policies"]), max_size=len(before["policies"])))
    changed = [policy for policy, keep in zip(before["policies"], kept, strict=True) if keep]
    after = before | {"policies": changed, "grants": before.get("grants", [])[:1]}
    old, new = engine_for(before, folder / "old"), engine_for(after, folder / "new")
    lines, expected = [], 0
    for request in data.draw(st.lists(requests(before), min_size=1, max_size=6)):
        instant = min(max(int(data.draw(instants()) * MICROSECONDS), 0), LAST)
        try:
            lines.append(logged(old, request, instant))
        except (BadRequest, UnicodeEncodeError):  # no server answers them
            continue
        plain, now = {k: v for k, v in request.items() if k != "options"}, instant / MICROSECONDS
        expected += told(oracle.decide(before, plain, now)) != told(oracle.decide(after, plain, now))
    same = tally(Replayed(old), lines, 1)
    assert (same.records, same.same) == (len(lines), len(lines))
    found = tally(Replayed(new), lines, 1)
    assert (found.records, found.changed, found.bad) == (len(lines), expected, 0)


def test_changes_are_grouped_with_the_first_example(tmp_path: Path) -> None:
    engine = engine_for(MODEL, tmp_path / "old")
    lines = [logged(engine, asked("draft")), *[logged(engine, asked(), NOW + n) for n in range(3)]]
    lines.append(logged(engine, asked(action="update")))
    code, found = replayed(tmp_path, b"\n".join(lines), bundle_file(MODEL | {"policies": []}, tmp_path / "new"))
    assert code == 1
    assert {name: found[name] for name in ("records", "same", "changed")} == {"records": 5, "same": 0, "changed": 5}
    first = found["groups"][0]
    assert first == {
        "before": "ALLOWED",
        "after": "NO_POLICY_MATCH",
        "policy_id": "readers",
        "policy_before": "readers",
        "count": 3,
        "example": {"line": 2, "time": "2026-11-22T21:32:51.123456Z", "request": asked()},
    }
    assert Counter(group["before"] for group in found["groups"][1:]) == {
        "CONDITION_FAILED": 1,
        "ACTION_NOT_PERMITTED": 1,
    }
    text = writ("replay", tmp_path / "log", tmp_path / "new").stdout.decode()
    assert text.startswith("5 records: 0 answers stay, 5 change: 3 now denied, 2 with another reason alone\n")
    assert "3 × ALLOWED by readers → NO_POLICY_MATCH\n  line 2, 2026-11-22T21:32:51.123456Z: {" in text


def test_flips_of_decisions_come_before_changes_of_the_reason(tmp_path: Path) -> None:
    """However many answers have another reason alone: a reviewer has to see first who is allowed or denied what."""
    engine = engine_for(MODEL, tmp_path / "old")
    lines = [logged(engine, asked("draft"), NOW + n) for n in range(4)] + [logged(engine, asked())]
    _, found = replayed(tmp_path, b"\n".join(lines), bundle_file(MODEL | {"policies": []}, tmp_path / "new"))
    assert [(one["before"], one["count"]) for one in found["groups"]] == [("ALLOWED", 1), ("CONDITION_FAILED", 4)]
    assert found["effects"] == {"now_allowed": 0, "now_denied": 1, "other_filter": 0, "other_reason": 4}
    text = writ("replay", tmp_path / "log", tmp_path / "new").stdout.decode()
    assert text.index("1 × ALLOWED by readers") < text.index("4 × CONDITION_FAILED")


def test_a_grant_without_a_name_is_no_bare_id(tmp_path: Path) -> None:
    """The line of the request says what the grant is for. JSON has the id. A policy keeps its id, also a UUID."""
    made = "4d1e5ed0-5a3c-5a55-8a5c-1d2f3a4b5c6d"
    grant = {"id": made, "subject": asked()["subject"], "resource": {"type": "document", "id": "d1"}}
    nothing = MODEL | {"policies": []}
    engine = engine_for(nothing | {"grants": [grant | {"actions": ["read"]}]}, tmp_path / "old")
    request = asked() | {"resource": {"type": "document", "id": "d1"}}
    _, found = replayed(tmp_path, logged(engine, request), bundle_file(nothing, tmp_path / "new"))
    assert found["groups"][0]["policy_before"] == made
    text = writ("replay", tmp_path / "log", tmp_path / "new").stdout.decode()
    assert "1 × ALLOWED by a direct grant → NO_POLICY_MATCH" in text
    policies = [one | {"id": made} for one in MODEL["policies"][:1]]
    (tmp_path / "log").write_bytes(logged(engine_for(MODEL | {"policies": policies}, tmp_path / "old"), asked()))
    text = writ("replay", tmp_path / "log", tmp_path / "new").stdout.decode()
    assert f"1 × ALLOWED by {made} → NO_POLICY_MATCH" in text


def test_a_log_may_be_compressed_or_come_from_standard_input(tmp_path: Path) -> None:
    engine, bundle = engine_for(MODEL, tmp_path / "old"), tmp_path / "old"
    lines = b"".join(logged(engine, asked(), NOW + n) + b"\n" for n in range(50))
    assert replayed(tmp_path, gzip.compress(lines), bundle)[1]["same"] == 50
    for given_ in (lines, gzip.compress(lines)):
        done = writ("replay", "-", bundle, "--format", "json", stdin=given_)
        assert (done.returncode, json.loads(done.stdout)["same"]) == (0, 50)
    cut = gzip.compress(lines)[:-20]
    code, found = replayed(tmp_path, cut, bundle)
    assert (code, "ends too early" in found["error"]) == (2, True)


def test_bad_lines_are_counted_and_told(tmp_path: Path) -> None:
    engine, bundle = engine_for(MODEL, tmp_path / "old"), tmp_path / "old"
    good = logged(engine, asked())
    bad = [
        b"{",
        b"[]",
        b"\xff",
        b"{}",
        good.replace(b"2026-", b"26-"),
        good.replace(b'"context"', b'"contest"'),
        good[:-9],
    ]
    code, found = replayed(tmp_path, b"\n".join([good, b"", *bad, good]), bundle)
    assert (code, found["same"], found["bad_lines"]) == (0, 2, len(bad))
    shown = writ("replay", tmp_path / "log", bundle).stdout.decode()
    assert "7 lines are no records: 3, 4, 5, 6, 7, 8, 9" in shown
    replayed(tmp_path, b"\n".join([good, b"{"]), bundle)
    assert "1 line is no record: 2" in writ("replay", tmp_path / "log", bundle).stdout.decode()
    code, found = replayed(tmp_path, b"{\n", bundle)
    assert code == 2


def test_what_can_not_be_compared_is_counted_apart(tmp_path: Path) -> None:
    engine = engine_for(MODEL, tmp_path / "old")
    good = json.loads(logged(engine, asked()))
    failed = {"decision": False, "context": {"error": {"status": 500, "message": "x"}}}
    lines = [
        good,
        good | {"masked": True},
        good | {"cut": True, "request": None, "answer": None},
        good | {"kind": "search", "answer": {"results": 3}},
        good | {"kind": "item", "answer": failed},
        good | {"environment": "test"},
    ]
    text = b"\n".join(json.dumps(line).encode() for line in lines)
    code, found = replayed(tmp_path, text, tmp_path / "old")
    assert (code, "several environments (None, test)" in found["error"]) == (2, True)
    code, found = replayed(tmp_path, text, tmp_path / "old", "--env", "test")
    assert (code, found["same"], found["other_environment"]) == (0, 1, 5)
    code, found = replayed(tmp_path, text.replace(b'"test"', b"null"), tmp_path / "old")
    assert (code, found["same"], found["masked"], found["not_compared"]) == (0, 2, 2, 2)


def test_a_value_that_a_route_could_not_read_is_replayed_as_such(tmp_path: Path) -> None:
    """C11: the DENY held for a text that is no number. A caller's own object or text of that look is what it is."""
    document = {
        "resource_types": [{"id": "document", "actions": ["read"], "attributes": {"amount": "number"}}],
        "policies": [
            {"id": "all", "effect": "ALLOW", "resource_types": [{"resource_type_id": "document", "actions": ["read"]}]},
            {
                "id": "large",
                "effect": "DENY",
                "priority": 1,
                "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
                "conditions": {"resource_attrs": [{"key": "amount", "op": "gt", "value": 100}]},
            },
        ],
    }
    engine = engine_for(document, tmp_path / "b")
    lines = []
    for amount in (Unreadable("15O"), "15O", {"text": "15O"}, 150):
        request = asked()
        request["resource"]["properties"] = {"amount": amount, "note": "x"}
        answer = ENCODER.encode(engine.decide(request, NOW / MICROSECONDS))
        question, unread = as_logged(request)
        entry = Entry(EntryKind.EVALUATION, b"p-1", NOW, 7, None, 1, ENCODER.encode(question), answer, "c", None, None)
        (record,) = Rendering(merged).records(structs.replace(entry, unreadable=unread))
        lines.append(ENCODER.encode(record))
    assert [json.loads(line)["answer"]["decision"] for line in lines] == [False, True, True, False]
    assert json.loads(lines[0])["unreadable"] == ["amount"]
    assert json.loads(lines[0])["request"]["resource"]["properties"] == {"amount": "15O", "note": "x"}
    assert not any(b"unreadable" in line for line in lines[1:])
    code, found = replayed(tmp_path, b"\n".join(lines), tmp_path / "b")
    assert (code, found["same"], found["changed"]) == (0, 4, 0)


def test_registered_attributes_are_counted_apart(tmp_path: Path) -> None:
    """E9: they are those of that time, which no bundle has."""
    document = MODEL | {"resources": [{"type": "document", "id": "d1", "attributes": {"status": "open"}}]}
    engine = engine_with_registry(document, tmp_path / "new.bundle")
    request = asked() | {"options": {"attributes": "registered"}}
    request["resource"] = {"type": "document", "id": "d1"}
    searched = logged(engine, request, kind=EntryKind.SEARCH)
    lines = b"\n".join([logged(engine, request), searched, logged(engine, asked())])
    code, found = replayed(tmp_path, lines, tmp_path / "new.bundle")
    assert (code, found["same"], found["changed"], found["not_compared"]) == (0, 1, 0, 2)


def test_what_a_rate_limit_decided_is_counted_apart(tmp_path: Path) -> None:
    path = bundle_file(LIMITED, tmp_path / "limited")
    engine = Engine.open(path, counters=RateCounters())
    lines = [logged(engine, asked(), NOW + n) for n in range(4)]
    assert [json.loads(line)["reason_code"] for line in lines] == ["ALLOWED"] + ["CONDITION_FAILED"] * 3
    text = b"\n".join(lines)
    code, found = replayed(tmp_path, text, path)
    assert (code, found["rate_limited"]) == (2, 4)  # nothing is left to compare
    code, found = replayed(tmp_path, text, bundle_file(MODEL, tmp_path / "unlimited"))
    assert (code, found["rate_limited"], found["same"]) == (0, 3, 1)


def test_malformed_items_and_filters_are_compared(tmp_path: Path) -> None:
    engine = engine_for(MODEL, tmp_path / "old")
    error = {"decision": False, "context": {"error": {"status": 400, "message": "x"}}}
    item = json.loads(logged(engine, asked())) | {"kind": "item", "answer": error}
    search = {"subject": {"type": "user", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "document"}}
    lines = [
        json.dumps(item | {"request": {}}).encode(),
        json.dumps(item | {"request": 5}).encode(),
        json.dumps(item).encode(),  # was malformed for another version of Writ
        logged(engine, search, kind=EntryKind.SEARCH),
    ]
    _, found = replayed(tmp_path, b"\n".join(lines), tmp_path / "old")
    assert (found["same"], found["changed"]) == (3, 1)
    assert (found["groups"][0]["before"], found["groups"][0]["after"]) == ("BAD_REQUEST", "ALLOWED")
    _, found = replayed(tmp_path, lines[-1], bundle_file(MODEL | {"policies": []}, tmp_path / "new"))
    assert found["groups"][0]["after"] == "OTHER_FILTER"


def test_files_that_can_not_be_read_are_told_in_one_sentence(tmp_path: Path) -> None:
    bundle = bundle_file(MODEL, tmp_path / "b")
    (tmp_path / "no.bundle").write_bytes(b"x" * 100)
    for arguments, message in (
        ((tmp_path / "none", bundle), b"no such file"),
        ((bundle, tmp_path / "none"), b"no such file"),
        ((bundle, tmp_path / "no.bundle"), b"no.bundle: "),
        ((tmp_path, bundle), b"is a directory"),
    ):
        done = writ("replay", *arguments)
        assert (done.returncode, message in done.stderr.lower()) == (2, True), done.stderr
        assert b"Traceback" not in done.stderr


def test_an_empty_log_changes_nothing(tmp_path: Path) -> None:
    code, found = replayed(tmp_path, b"", bundle_file(MODEL, tmp_path / "b"))
    assert (code, found["records"]) == (0, 0)


def test_a_long_log_takes_constant_memory_on_all_cores(tmp_path: Path) -> None:
    """The largest process of the command grows little from 2,000 to 200,000 lines of 150 MB together."""
    engine, bundle = engine_for(MODEL, tmp_path / "b"), tmp_path / "b"
    piece = b"".join(
        logged(engine, asked("open" if n % 4 else "draft") | {"context": {"x": "y" * 300}}, NOW + n) + b"\n"
        for n in range(2_000)
    )
    short, long = tmp_path / "short", tmp_path / "long"
    short.write_bytes(piece)
    with long.open("wb") as file:
        for _ in range(100):
            file.write(piece)
    sizes = []
    for log, count in ((short, 2_000), (long, 200_000)):
        found, size = measured(log, bundle)
        assert (found["records"], found["same"], found["changed"]) == (count, count, 0)
        sizes.append(size)
    assert sizes[1] - sizes[0] < GROWTH_KILOBYTES, sizes


def measured(log: Path, bundle: Path) -> tuple[dict[str, Any], int]:
    """The result, and the kilobytes of the largest process."""
    script = (
        "import resource, subprocess, sys; out = subprocess.run(sys.argv[1:], capture_output=True, check=True).stdout;"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.stdout.buffer.write(out)"
    )
    line = [sys.executable, "-c", script, str(WRIT), "replay", str(log), str(bundle), "--format", "json"]
    done = subprocess.run(line, capture_output=True, check=True, text=True)
    size, _, result = done.stdout.partition("\n")
    return json.loads(result), int(size)


def test_the_number_of_groups_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("writ.api.review.replaying.tally.MOST_GROUPS", 1)
    engine = engine_for(MODEL, tmp_path / "old")
    lines = [logged(engine, asked("draft")), logged(engine, asked())]
    found = as_json(tally(Replayed(engine_for(MODEL | {"policies": []}, tmp_path / "new")), lines, 1))
    assert (found["changed"], len(found["groups"])) == (2, 1)
    assert (found["effects"]["now_denied"], found["effects"]["other_reason"]) == (1, 1), "counted without a group too"


def test_a_masked_log_is_decided_by_a_model_that_is_hashed_alike(tmp_path: Path) -> None:
    engine = engine_for(MODEL, tmp_path / "old")
    masks = {"*": [{"path": "$.resource.properties.status", "do": "hash"}, {"path": "$.subject.id", "do": "hash"}]}
    for name, document in (("m.json", masks), ("old.json", MODEL), ("new.json", MODEL | {"policies": []})):
        (tmp_path / name).write_text(json.dumps(document if name == "m.json" else {"model": 1} | document))
    (tmp_path / "key").write_text("k" * 40 + "\n")
    used = Masks(read_masks((tmp_path / "m.json").read_bytes()), key_in(tmp_path / "key"))
    lines = b"\n".join(logged(engine, asked(status), masks=used) for status in ("open", "open", "draft"))
    options = ("--masks", str(tmp_path / "m.json"), "--hash-key", str(tmp_path / "key"))
    assert b"alice" not in lines
    code, found = replayed(tmp_path, lines, tmp_path / "old.json", *options)
    assert (code, found["same"], found["hidden"]) == (0, 3, 0)
    code, found = replayed(tmp_path, lines, tmp_path / "new.json", *options)
    assert (code, found["changed"]) == (1, 3)


@pytest.mark.parametrize(
    ("masks", "more", "said"),
    [
        ({"*": [{"path": "$.subject.id", "do": "hash"}]}, (), "name the file of their key by `--hash-key`"),
        ({"*": [{"path": "$.subject.id", "do": "drop"}]}, (), "the masks drop `$.subject.id`"),
        ({"prod": [{"path": "$.context.a", "do": "drop"}]}, (), "choose the one of the log by `--env`"),
        ({"prod": [{"path": "$.context.a", "do": "drop"}]}, ("--env", "test"), "has no masks for this environment"),
        ({"*": [{"path": "$.context.a", "do": "drop"}]}, ("--hash-key", "key"), "must have 32 characters at least"),
        ({"*": [{"path": "$.context.a", "do": "drop"}]}, ("--hash-key", "gone"), "gone"),
    ],
)
def test_masks_that_a_log_cannot_be_replayed_with_are_refused(
    tmp_path: Path, masks: Any, more: tuple[str, ...], said: str
) -> None:
    (tmp_path / "m.json").write_text(json.dumps(masks))
    (tmp_path / "key").write_text("short")
    (tmp_path / "log").write_bytes(b"{}")
    (tmp_path / "model.json").write_text(json.dumps({"model": 1} | MODEL))
    options = [str(tmp_path / one) if one in ("key", "gone") else one for one in more]
    done = writ("replay", tmp_path / "log", tmp_path / "model.json", "--masks", tmp_path / "m.json", *options)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
