"""The log says the same once in a while, and how often it was meant."""

import logging
from itertools import count

from writ.api.telemetry.log import MOST_REMEMBERED, REPEAT_SECONDS, Repeats


class Shown(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def test_what_was_said_just_now_is_counted_and_not_said_again() -> None:
    now = [0.0]
    log, shown = logging.Logger("repeats"), Shown()
    shown.addFilter(Repeats(lambda: now[0]))
    log.addHandler(shown)
    for _ in range(5):
        log.error("the store is %s", "away")
    log.error("another")
    log.warning("the store is away")
    now[0] = REPEAT_SECONDS
    log.error("the store is away")
    log.error("the store is away")
    assert shown.texts == [
        "the store is away",
        "another",
        "the store is away",
        "the store is away (4 more times since)",
    ]


def test_what_it_remembers_is_bounded() -> None:
    clock = count()
    found = Repeats(lambda: next(clock) / 1e6)
    record = logging.LogRecord("x", logging.ERROR, "", 0, "%d", (0,), None)
    for number in range(MOST_REMEMBERED + 10):
        record.args = (number,)
        assert found.filter(record)
    assert len(found._said) == MOST_REMEMBERED
