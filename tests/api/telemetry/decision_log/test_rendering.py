"""Records of entries: one line, the same answer, shares of permissions, limits, and what is told of the caller."""

import json
import logging
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.api.endpoints.decisions.batch import merged
from writ.api.telemetry.bounded_queue import BoundedQueue, Bounds
from writ.api.telemetry.decision_log.decision_log import DecisionLog
from writ.api.telemetry.decision_log.entry import Asker, Entry, EntryKind, Moment, Taken, Waiting
from writ.api.telemetry.decision_log.masks import Mask, Masks
from writ.api.telemetry.decision_log.opa_shape import event_of
from writ.api.telemetry.decision_log.plain_lines import LONGEST_MASKED, MOST_MASKS, MOST_REMEMBERED, Endings, PlainLines
from writ.api.telemetry.decision_log.record import time_text
from writ.api.telemetry.decision_log.rendering import BATCH_RECORD_BYTES, Rendering, trace_id
from writ.api.telemetry.decision_log.turns import Lines, Turns
from writ.bundles.conditions.instants import parse_instant

ALLOWED = {"decision": True, "context": {"reason_code": "ALLOWED", "policy_id": "p"}}
DENIED = {"decision": False, "context": {"reason_code": "NO_POLICY_MATCH"}}
ASK = {"subject": {"type": "user", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "d", "id": "1"}}
TRACE = b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def records(
    answer: object,
    request: object = ASK,
    kind: EntryKind = EntryKind.EVALUATION,
    raw: bytes | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
    """The records of an entry, as they are written."""
    encode = msgspec.json.encode
    body = encode(request) if raw is None else raw
    entry = Entry(kind, b"p-ff", 1_500_000, 7, "prod", 3, body, encode(answer), "client:x", b"r\xe9", TRACE)
    lines = [encode(record) for record in Rendering(merged, **options).records(entry)]
    assert all(b"\n" not in line for line in lines)
    return [json.loads(line) for line in lines]


def test_a_record_has_the_members_of_the_design_in_their_order() -> None:
    (record,) = records(ALLOWED)
    assert list(record.items()) == [
        ("time", "1970-01-01T00:00:01.500000Z"),
        ("decision_id", "p-ff"),
        ("environment", "prod"),
        ("revision", 3),
        ("kind", "evaluation"),
        ("request", ASK),
        ("answer", ALLOWED),
        ("reason_code", "ALLOWED"),
        ("policy_id", "p"),
        ("caller", "client:x"),
        ("request_id", "ré"),
        ("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"),
        ("duration_us", 7),
    ]


REASONED = {"decision": True, "context": {"reason": "`x` is secret", "reason_code": "ALLOWED", "policy_id": "%d"}}
FAILED = {"decision": False, "context": {"error": {"status": 400, "message": "secret"}}}
MASKS = [
    {},
    {"*": [Mask("$.subject.id", "hash")]},
    {"*": [Mask("$.action", "drop")]},
    {"*": [Mask("$.none.b", "drop")]},
]


@given(
    st.sampled_from(
        [ALLOWED, DENIED, REASONED, {"decision": False, "context": {"reason_code": "é\n", "policy_id": None}}]
    ),
    st.text(max_size=5),
    st.none() | st.text(max_size=5) | st.just("%d%%b"),
    st.none() | st.binary(max_size=300),
    st.sampled_from([None, b"", TRACE]),
    st.integers(0, 2**50),
    st.integers(-1_000, 3_000_000),
    st.booleans(),
    st.sampled_from(MASKS),
)
def test_a_plain_line_is_that_of_its_record(
    answer: Any,
    caller: str,
    environment: str,
    id_: bytes | None,
    trace: bytes | None,
    number: int,
    duration: int,
    indented: bool,
    masks: dict[str, list[Mask]],
) -> None:
    encode = msgspec.json.encode
    body = json.dumps(ASK, indent=2).encode() if indented else encode(ASK)
    engine = pinned(environment)
    taken = Taken(
        EntryKind.EVALUATION,
        Moment(0.0, number, 1, b"p-%x" % number),
        duration,
        engine,
        body,
        encode(answer),
        caller,
        id_,
        trace,
        0,
    )
    rendering = Rendering(merged, Masks(masks, b"k" * 32))
    expected = [encode(record) + b"\n" for record in rendering.records(Entry.of(taken))]
    lines = PlainLines(rendering)
    assert [lines.line(taken)] == expected
    assert [lines.line(taken)] == expected, "what it remembers is the same"


def test_what_is_remembered_is_of_the_engine_the_second_the_answer_and_the_caller() -> None:
    encode = msgspec.json.encode
    rendering = Rendering(merged, Masks({"test": [Mask("$.subject.id", "drop")]}))
    lines, engines = PlainLines(rendering), [pinned(environment) for environment in ("prod", "test", None)]
    for number in range(400):
        answer = (ALLOWED, DENIED, REASONED)[number // 3 % 3]
        instant = number * (300, 300_000)[number % 2]
        caller = f"caller{number // 7 % 5}"
        taken = Taken(
            EntryKind.EVALUATION,
            Moment(0.0, instant, 1, b"p-%x" % number),
            7_001,
            engines[number % 3],
            encode(ASK),
            encode(answer),
            caller,
            None,
            None,
            0,
        )
        (expected,) = rendering.records(Entry.of(taken))
        assert lines.line(taken) == encode(expected) + b"\n"


def test_the_answers_that_are_remembered_are_bounded() -> None:
    encode = msgspec.json.encode
    endings = Endings(hides=False)
    for number in range(3 * MOST_REMEMBERED):
        answer = encode(ALLOWED | {"n": number})
        for caller in ("a", f"b{number}"):
            assert endings.of(answer, caller) == endings.of(answer, caller)
            assert answer in endings.of(answer, caller).text
    assert sum(map(len, endings._known.values())) <= MOST_REMEMBERED


def pinned(environment: str | None) -> Any:
    """What a line tells of an engine."""
    manifest = SimpleNamespace(environment=None if environment is None else SimpleNamespace(id=environment))
    return SimpleNamespace(manifest=manifest, revision=3)


def test_what_is_not_plain_is_left_to_the_writer_and_what_is_left_out_is_empty() -> None:
    encode = msgspec.json.encode
    masks = Masks({"test": [Mask("$.a", "drop")], "many": [Mask("$.a", "drop")] * (MOST_MASKS + 1)})
    plain = PlainLines(Rendering(merged, masks, permits=0.0, most_bytes=LONGEST_MASKED + 400))
    found = [
        plain.line(
            Taken(
                kind,
                Moment(0.0, 0, 0, b"p-1"),
                0,
                pinned(environment),
                request,
                encode(answer),
                "c",
                None,
                None,
                0,
                cut,
                unreadable,
            )
        )
        for kind, environment, request, answer, cut, unreadable in (
            (EntryKind.EVALUATION, "prod", encode(ASK), ALLOWED, False, ()),
            (EntryKind.EVALUATION, "prod", encode(ASK), DENIED, False, ()),
            (EntryKind.SEARCH, "prod", encode(ASK), DENIED, False, ()),
            (EntryKind.EVALUATION, "test", encode(ASK), FAILED, False, ()),
            (EntryKind.EVALUATION, "test", encode({"x": "y" * LONGEST_MASKED}), DENIED, False, ()),
            (EntryKind.EVALUATION, "many", encode(ASK), DENIED, False, ()),
            (EntryKind.EVALUATION, "prod", encode(ASK), DENIED, True, ()),
            (EntryKind.EVALUATION, "prod", encode(ASK), DENIED, False, ("size",)),
            (EntryKind.EVALUATION, "prod", encode({"x": "y" * (LONGEST_MASKED + 400)}), DENIED, False, ()),
        )
    ]
    assert found[0] == b""
    assert found[1]
    assert found[2:] == [None] * 7


def test_an_answer_whose_line_cannot_be_made_is_counted_and_keeps_no_other_from_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    encode = msgspec.json.encode
    waiting: Waiting = BoundedQueue(Bounds(9, 9_999), logging.getLogger("tests.log"), "%d are lost")
    log = DecisionLog(waiting, refuses=False, clock=lambda: 1.5, log=logging.getLogger("tests.log"))
    log.plain = PlainLines(Rendering(merged))
    for answer in (encode(ALLOWED), b"no JSON", encode(DENIED)):
        moment = log.begin(0)
        log.keep(EntryKind.EVALUATION, moment, pinned("prod"), encode(ASK), answer, Asker("c"))
    log.keep(EntryKind.EVALUATION, moment, pinned("prod"), encode(ASK), encode(DENIED), Asker("c"), cut=True)
    turns = Turns(waiting)
    turns.finish()
    (lines, entry) = turns.ready
    assert isinstance(lines, Lines)
    assert [json.loads(line)["answer"] for line in lines.text.splitlines()] == [ALLOWED, DENIED]
    assert isinstance(entry, Entry)
    assert (log.failed, waiting.entries, waiting.bytes) == (1, 3, lines.cost + entry.cost)
    assert "lost records" in caplog.text


def test_a_request_of_many_lines_is_one() -> None:
    (record,) = records(ALLOWED, raw=json.dumps(ASK, indent=2).replace("\n", "\r\n").encode())
    assert record["request"] == ASK


def test_the_items_of_a_batch_have_its_defaults_and_end_with_its_answers() -> None:
    defaults = {"subject": ASK["subject"], "action": ASK["action"]}
    items = [{"resource": ASK["resource"]}, 5, {"resource": ASK["resource"], "context": {}}]
    found = records({"evaluations": [ALLOWED, DENIED]}, defaults | {"evaluations": items}, EntryKind.ITEM)
    assert [record["request"] for record in found] == [ASK, 5]
    assert [record["answer"] for record in found] == [ALLOWED, DENIED]
    assert [record["decision_id"] for record in found] == ["p-ff.0", "p-ff.1"]


@pytest.mark.parametrize(("chance", "kept"), [(0.24, 2), (0.25, 1)])
def test_a_share_of_the_permissions_is_kept_and_all_denials(chance: float, kept: int) -> None:
    found = records(
        {"evaluations": [ALLOWED, DENIED]},
        {"evaluations": [ASK, ASK]},
        EntryKind.ITEM,
        permits=0.25,
        chance=lambda: chance,
    )
    assert len(found) == kept
    assert found[-1]["answer"] == DENIED
    assert records({"filter": {}}, kind=EntryKind.SEARCH, permits=0.0)


def test_a_record_over_the_limit_goes_without_request_and_answer() -> None:
    size = len(msgspec.json.encode(ASK)) + len(msgspec.json.encode(ALLOWED))
    assert "cut" not in records(ALLOWED, most_bytes=size)[0]
    (record,) = records(ALLOWED, most_bytes=size - 1)
    assert (record["request"], record["answer"], record["cut"]) == (None, None, True)
    assert record["reason_code"] == "ALLOWED"


def test_the_defaults_of_a_batch_fill_no_disk() -> None:
    batch = {"context": {"x": "y" * 500_000}, "evaluations": [ASK] * 100}
    found = records({"evaluations": [DENIED] * 100}, batch, EntryKind.ITEM)
    assert len(found) == 100
    assert sum(len(json.dumps(record)) for record in found) < BATCH_RECORD_BYTES * 1.1
    assert found[0]["request"] is not None
    assert found[-1]["cut"]


def test_a_search_has_the_number_of_its_results() -> None:
    answer = {"page": {"next_token": "secret", "count": 2}, "filter": {"type": "const"}, "results": [{}, {}]}
    (record,) = records(answer, kind=EntryKind.SEARCH)
    assert record["answer"] == {"page": {"count": 2}, "filter": {"type": "const"}, "results": 2}


@pytest.mark.parametrize("instant", [0, 1, 999_999, 1_795_383_171_123_456, 253_402_300_799_999_999])
def test_the_time_is_the_exact_instant(instant: int) -> None:
    assert parse_instant(time_text(instant)) == instant * 1_000


@pytest.mark.parametrize(
    "header", [None, b"", b"00-" + b"0" * 32 + b"-00f067aa0ba902b7-01", TRACE.upper(), TRACE[:-3], b"x" * 60]
)
def test_a_trace_that_is_none_is_left_out(header: bytes | None) -> None:
    assert trace_id(header) is None


def test_the_shape_of_opa() -> None:
    encode = msgspec.json.encode
    entry = Entry(EntryKind.EVALUATION, b"p-1", 0, 7, "prod", 3, encode(ASK), encode(ALLOWED), "c", b"r", TRACE)
    (record,) = Rendering(merged).records(entry)
    assert json.loads(encode(event_of(record))) == {
        "labels": {
            "app": "writ",
            "environment": "prod",
            "kind": "evaluation",
            "reason_code": "ALLOWED",
            "policy_id": "p",
            "request_id": "r",
        },
        "decision_id": "p-1",
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
        "bundles": {"prod": {"revision": "3"}},
        "path": "writ/evaluation",
        "input": ASK,
        "result": ALLOWED,
        "requested_by": "c",
        "timestamp": "1970-01-01T00:00:00.000000Z",
        "metrics": {"timer_server_handler_ns": 7_000},
    }
