"""The file of the decision log on a disk that is full, and has room again later: nothing is lost without a number."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.api.conftest import ALLOWED, PLAN
from tests.api.telemetry.decision_log.test_decision_log_metrics import numbers
from tests.api.telemetry.decision_log.test_decision_log_served import SINGLE, logging_to
from tests.support.decision_logs import records
from tests.support.server import Server, running
from tests.support.small_disk import SmallDisk, small_disk
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

ROOM, LARGE, WAITING = 100_000, 10_000, 20
CALLS = 60


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk") as found:
        yield found


def ask(client: httpx.Client, number: int) -> int:
    body = ALLOWED | {"resource": PLAN | {"id": str(number)}, "context": {"x": "y" * LARGE}}
    return client.post(SINGLE, json=body).status_code


def logged(log: Path) -> list[int]:
    """The numbers of the calls in the log. Each line is a whole record."""
    return [int(record["request"]["resource"]["id"]) for record in records(log)]


def started(tmp_path: Path, disk: SmallDisk, when_full: str) -> Iterator[Server]:
    more = {"WRIT_DECISION_LOG_BUFFER_RECORDS": str(WAITING), "WRIT_DECISION_LOG_WHEN_FULL": when_full}
    with running(tmp_path / "data", workers=1, settings=logging_to(disk.folder / "log", more)) as server:
        disk.leave(ROOM)
        yield server
    assert "Traceback" not in server.log


@pytest.fixture
def dropping(tmp_path: Path, disk: SmallDisk) -> Iterator[Server]:
    yield from started(tmp_path, disk, "drop")


@pytest.fixture
def refusing(tmp_path: Path, disk: SmallDisk) -> Iterator[Server]:
    yield from started(tmp_path, disk, "refuse")


def test_what_a_full_disk_drops_is_counted_and_the_rest_comes_later(dropping: Server, disk: SmallDisk) -> None:
    log = disk.folder / "log"
    with dropping.client() as client:
        assert [ask(client, number) for number in range(WAITING)] == [200] * WAITING
        assert wait_until(lambda: numbers(dropping)["errors_total", ""] >= 1)
        assert "log: no space left on device" in dropping.log
        assert [ask(client, WAITING + number) for number in range(CALLS)] == [200] * CALLS
        disk.clear()
        assert wait_until(lambda: sum(ended(dropping)) == WAITING + CALLS)
        written, dropped = ended(dropping)
        assert dropped >= CALLS - WAITING
        assert len(logged(log)) == written
        assert ask(client, WAITING + CALLS) == 200
        assert wait_until(lambda: logged(log)[-1] == WAITING + CALLS)
    assert set(Counter(logged(log)).values()) == {1}


def ended(server: Server) -> tuple[float, float]:
    """The records that were written, and those that were dropped."""
    found = numbers(server)
    return found["records_total", ""], found["dropped_total", "full"]


def test_what_a_full_disk_refuses_was_not_decided_and_all_else_has_a_record(refusing: Server, disk: SmallDisk) -> None:
    log = disk.folder / "log"
    with refusing.client() as client:
        answers = {number: ask(client, number) for number in range(CALLS)}
        assert {*answers.values()} == {200, 503}
        assert ask(client, CALLS) == 503
        disk.clear()
        decided = [number for number, status in answers.items() if status == 200]
        assert wait_until(lambda: ended(refusing) == (len(decided), 0))
        assert logged(log) == decided
        assert ask(client, CALLS) == 200
        assert wait_until(lambda: logged(log) == [*decided, CALLS])
