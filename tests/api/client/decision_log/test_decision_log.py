"""`writ.DecisionLog`: records of decisions in process, in the service's format, which `explain` and `replay` read."""

import asyncio
import contextvars
import json
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import writ
import writ.testing
from writ import DecisionLog, Engine
from writ.api.engines.live.build import build_bundle
from writ.api.settings.settings import DecisionLogSettings
from writ.api.telemetry.decision_log.rendering import DEFAULT_RECORD_BYTES
from writ.decision_log import DecisionLogFull
from writ.decision_log.fresh_entries import BOUNDS
from writ.web.looping import refusal

from tests.api.client.client.test_one_interface import (
    DECIDE,
    EVERYWHERE,
    LIST,
    MODEL,
    NAMES,
    SEARCHES,
    WHAT,
    WHO,
    Text,
    answered,
)
from tests.support.command import writ as command_writ
from tests.support.waiting import wait_until

NOW = 1_767_225_600.25
BAD = {"subject": {}}
MEMBERS = [
    *("time", "decision_id", "environment", "revision", "kind", "request", "answer", "reason_code", "policy_id"),
    *("caller", "request_id", "trace_id", "duration_us"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("log")
    (folder / "model.yaml").write_text(MODEL)
    build_bundle([folder / "model.yaml"], folder / "model.bundle")
    return folder


@pytest.fixture
def engine(folder: Path) -> Engine:
    return Engine.open(folder / "model.bundle", clock=lambda: NOW)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "decisions.log"


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_record_is_that_of_the_service(engine: Engine, path: Path) -> None:
    with DecisionLog(path, caller="billing", request_id=lambda: "r-1", traceparent=lambda: TRACE) as log:
        answer = log.engine(engine).decide(DECIDE)
        id = log.last_id
    (found,) = records(path)
    assert list(found) == MEMBERS
    assert (found["request"], found["answer"], found["decision_id"]) == (DECIDE, answer, id)
    assert found["time"] == "2026-01-01T00:00:00.250000Z"
    assert (found["kind"], found["reason_code"], found["policy_id"]) == ("evaluation", "ALLOWED", "editing")
    assert (found["caller"], found["request_id"], found["trace_id"]) == ("billing", "r-1", TRACE[3:35])
    assert (found["environment"], found["revision"]) == (None, engine.revision)
    assert path.stat().st_mode & 0o777 == 0o600


TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_a_logged_engine_answers_as_its_engine_does(folder: Path, path: Path) -> None:
    """All questions of one interface, good and bad."""
    compiled = writ.testing.engine(folder / "model.yaml", strict=False)
    with DecisionLog(path) as log:
        logged: Any = log.engine(compiled)
        for question in (*EVERYWHERE, *SEARCHES):
            assert answered(logged, question) == answered(compiled, question), question
    assert log.dropped == 0
    assert len(records(path)) == log.written > 1_000


def test_each_question_has_its_kind(folder: Path, path: Path) -> None:
    """A batch has a record for each item, and a search the number of its results. A refused question has none."""
    with DecisionLog(path) as log:
        logged = log.engine(writ.testing.engine(folder / "model.yaml", strict=False))
        assert logged.allowed(*NAMES, resource={"status": "draft"})
        assert logged.ask(*NAMES).reason_code == "CONDITION_FAILED"
        logged.decide_many([DECIDE, BAD, 7])
        batch = log.last_id
        logged.filter(LIST)
        logged.actions(WHAT)
        assert len(list(logged.resources(LIST))) == len(list(logged.subjects(WHO))) == 2
        with pytest.raises(writ.BadRequest):
            logged.decide(BAD)
    found = records(path)
    assert [one["kind"] for one in found] == ["evaluation"] * 2 + ["item"] * 3 + ["search"] * 4
    assert [one["decision_id"] for one in found[2:5]] == [f"{batch}.{place}" for place in range(3)]
    assert [one["request"] for one in found[2:5]] == [DECIDE, BAD, 7]
    assert found[3]["answer"]["context"]["error"]["status"] == 400
    assert "filter" in found[5]["answer"]
    assert [one["answer"]["results"] for one in found[6:]] == [2, 2, 2]


def test_explain_and_replay_read_it(engine: Engine, folder: Path, path: Path) -> None:
    with DecisionLog(path) as log:
        logged = log.engine(engine)
        for subject in ("alice", "bob", "zoe"):
            logged.decide(DECIDE | {"subject": {"type": "user", "id": subject}})
        logged.decide_many([DECIDE, BAD, DECIDE | {"context": {"note": Text("x")}}])
        logged.filter(LIST)
        logged.actions(WHAT)
        logged.ask(*NAMES)
        asked = log.last_id
    told = command_writ("replay", path, folder / "model.bundle", "--format", "json")
    assert (told.returncode, json.loads(told.stdout)["same"], json.loads(told.stdout)["changed"]) == (0, 8, 0)
    told = command_writ("explain", folder / "model.bundle", "--log", path, "--id", str(asked))
    assert (told.returncode, b"status" in told.stdout) == (0, True)


def test_a_record_has_the_revision_that_decided(folder: Path, path: Path) -> None:
    """A followed engine is given by a function, which may raise."""
    with writ.follow(folder / "model.bundle", unsigned=True) as following, DecisionLog(path) as log:
        logged = log.engine(lambda: following.engine)
        assert logged.decide(DECIDE) == following.engine.decide(DECIDE)
        following.close()
        with pytest.raises(writ.FollowError):
            logged.decide(DECIDE)
    assert len(records(path)) == 1


def test_masks_and_limits_are_those_of_the_service(engine: Engine, path: Path) -> None:
    masks = {"*": [{"path": "$.subject.id", "do": "hash"}, {"path": "$.context", "do": "drop"}]}
    with DecisionLog(path, masks=masks, hash_key="k" * 32, record_bytes=400, permits=0.0) as log:
        logged = log.engine(engine)
        logged.decide(DECIDE)
        logged.decide(DECIDE | {"subject": {"type": "user", "id": "zoe"}, "context": {"secret": 1}})
        logged.decide(DECIDE | {"subject": {"type": "user", "id": "zoe"}, "context": {"long": "x" * 400}})
    first, second = records(path)
    assert first["masked"] is True
    assert first["request"]["subject"]["id"].startswith("hmac-sha256:")
    assert ("context" in first["request"], "reason" in first["answer"]["context"]) == (False, False)
    assert (second["cut"], second["request"], second["answer"]) == (True, None, None)
    settings = DecisionLogSettings()
    assert (settings.buffer_records, settings.buffer_bytes, settings.record_bytes) == (*BOUNDS, DEFAULT_RECORD_BYTES)


def test_masks_may_be_in_a_file(engine: Engine, path: Path, tmp_path: Path) -> None:
    (tmp_path / "masks.json").write_text('{"*": [{"path": "$.subject.id", "do": "drop"}]}')
    with DecisionLog(path, masks=tmp_path / "masks.json") as log:
        log.engine(engine).decide(DECIDE)
    assert "id" not in records(path)[0]["request"]["subject"]


def test_what_json_does_not_have_costs_no_decision(engine: Engine, path: Path) -> None:
    """The record says that it lacks something. The application may change its request afterwards."""
    asked: dict[str, Any] = DECIDE | {"context": {"a": object(), "b": "\ud800", "c": [float("nan"), Decimal(1)], 1: 2}}
    with DecisionLog(path) as log:
        logged = log.engine(engine)
        assert logged.decide(asked)["decision"] is True
        asked["context"] = {}
        logged.decide(DECIDE | {"context": {"big": 2**80, "own": Text("x")}})
    first, second = records(path)
    assert first["cut"] is True
    assert first["request"]["context"] == {"a": "<object>", "b": "?", "c": ["<float>", "<decimal.Decimal>"], "1": 2}
    assert ("cut" in second, second["request"]["context"]) == (False, {"big": 2**80, "own": "x"})


@pytest.mark.parametrize("when_full", ["drop", "refuse"])
def test_a_full_log_drops_or_refuses(engine: Engine, path: Path, when_full: Any) -> None:
    with DecisionLog(path, buffer_records=3, when_full=when_full) as log:
        logged, answers = log.engine(engine), 0
        for _ in range(10):
            with suppress(DecisionLogFull):
                answers += logged.decide(DECIDE)["decision"]
    refused = 10 - answers
    assert len(records(path)) + log.dropped + refused == 10
    assert (log.dropped, refused)[when_full == "drop"] == 0
    assert log.dropped + refused > 0
    if when_full == "drop":
        assert logged.decide(DECIDE)["decision"] is True, "after the end, without a record"
        assert log.dropped + len(records(path)) == 11
    else:
        with pytest.raises(DecisionLogFull):
            logged.allowed(*NAMES)


def test_a_file_that_can_not_be_written_holds_no_decision_up(engine: Engine) -> None:
    log = DecisionLog("/dev/full")
    logged = log.engine(engine)
    assert all(logged.decide(DECIDE)["decision"] for _ in range(100))
    log._running.writer.stop(0.01)  # type: ignore[union-attr]  # so that the test does not wait for 5 seconds
    log.close()
    assert log.dropped == 100


def test_no_record_is_lost_uncounted_at_the_end(engine: Engine, path: Path) -> None:
    """Threads that still decide while the log is closed: each decision has a record, or is counted."""
    log = DecisionLog(path)
    logged, done, made = log.engine(engine), threading.Event(), [0] * 4

    def work(place: int) -> None:
        while made[place] < 400 and not done.is_set():
            logged.decide(DECIDE)
            made[place] += 1

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for one in threads:
        one.start()
    assert wait_until(lambda: min(made) >= 50)
    log.close()
    log.close()
    done.set()
    for one in threads:
        one.join()
    assert len(records(path)) + log.dropped == sum(made)


def test_many_threads_share_a_log(engine: Engine, path: Path) -> None:
    with DecisionLog(path) as log:
        logged = log.engine(engine)
        ids: list[str | None] = []

        def work() -> None:
            for _ in range(200):
                logged.decide(DECIDE)
                ids.append(log.last_id)

        threads = [threading.Thread(target=work) for _ in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert sorted(one["decision_id"] for one in records(path)) == sorted(map(str, ids))
    assert len(set(ids)) == 1_200
    assert contextvars.Context().run(lambda: log.last_id) is None


def test_a_forked_process_writes_its_own_records(engine: Engine, path: Path) -> None:
    """What waits in the parent is written once, and both append to the file."""
    with DecisionLog(path) as log:
        logged = log.engine(engine)
        for _ in range(50):
            logged.decide(DECIDE)
        child = os.fork()
        if not child:
            try:
                for _ in range(50):
                    logged.decide(DECIDE)
                log.close()
                os._exit(int(log.written != 50))
            finally:
                os._exit(9)
        for _ in range(50):
            logged.decide(DECIDE)
        assert os.waitpid(child, 0)[1] == 0
    found = records(path)
    assert len(found) == len({one["decision_id"] for one in found}) == 150


def test_the_file_may_be_rotated(engine: Engine, path: Path) -> None:
    with DecisionLog(path) as log:
        log.engine(engine).decide(DECIDE)
        assert wait_until(lambda: log.written)
        path.rename(path.with_suffix(".old"))
        log.engine(engine).decide(DECIDE)
    assert len(records(path)) == len(records(path.with_suffix(".old"))) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"permits": 2},
        {"when_full": "wait"},
        {"buffer_records": 0},
        {"hash_key": "short"},
        {"masks": {"*": [{"path": "$.subject.id", "do": "hash"}]}},
        {"masks": {"*": [{"path": "subject", "do": "drop"}]}},
        {"masks": {"*": [{"path": "$.subject", "do": "blur"}]}},
    ],
)
def test_bad_parameters_are_refused(path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        DecisionLog(path, **options)


def test_a_file_that_can_not_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError):  # noqa: PT011 - any of them
        DecisionLog(tmp_path)
    with pytest.raises(FileNotFoundError):
        DecisionLog(tmp_path / "none" / "log")


@pytest.fixture(autouse=True)
def _no_log_is_left() -> Iterator[None]:
    yield
    from writ.decision_log import application_log

    for one in list(application_log._live):
        one.close()


def test_guards_of_frameworks_ask_a_logged_engine_at_once(engine: Engine, path: Path) -> None:
    """In the task that asks, so it knows the id of its decision."""

    async def asks() -> tuple[object, str | None]:
        return await refusal(log.engine(engine), DECIDE), log.last_id

    with DecisionLog(path) as log:
        refused, id = asyncio.run(asks())
    assert refused is None
    assert [one["decision_id"] for one in records(path)] == [id]
