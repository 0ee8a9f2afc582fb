"""The tasks that people come to the console for: each ends in a true answer, and takes few clicks (issue 34)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.console.task_list import TASKS, Task, at_work
from tests.support.hand import Hand

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def hand(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hand]:
    with at_work(browser, tmp_path_factory.mktemp("tasks")) as found:
        yield found


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.run.__name__)
def test_a_task_takes_few_clicks(task: Task, hand: Hand) -> None:
    clicks, _keys = task.do(hand)
    assert clicks <= task.most_clicks
