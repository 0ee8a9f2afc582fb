"""The log of the service, on standard error. Repeated messages are dropped for a while, so that they fill no disk."""

import logging
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

LOG: Final = "writ"
"""The name of the logger."""

REPEAT_SECONDS: Final = 10.0
"""The time for which a repeated message is dropped."""

MOST_REMEMBERED: Final = 1_000

_FORMAT: Final = "%(asctime)s [%(process)d] [%(levelname)s] %(message)s"
_DATE_FORMAT: Final = "[%Y-%m-%d %H:%M:%S %z]"


def service_log(level: str) -> logging.Logger:
    """Returns the log of the service. It shows messages from `level` (`debug` to `error`) up."""
    log = logging.getLogger(LOG)
    log.setLevel(level.upper())
    log.propagate = False
    if not log.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter(_FORMAT, _DATE_FORMAT))
        handler.addFilter(Repeats(time.monotonic))
        log.addHandler(handler)
    return log


class Repeats(logging.Filter):
    """Drops repeated records of the same level and text. The next one that is shown says how many were dropped."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` gives the seconds of a monotonic clock."""
        super().__init__()
        self._clock = clock
        self._said: OrderedDict[tuple[int, str], tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        """See `logging.Filter`."""
        text, now = record.getMessage(), self._clock()
        key = record.levelno, text
        then, dropped = self._said.get(key, (-REPEAT_SECONDS, 0))
        if now - then < REPEAT_SECONDS:
            self._said[key] = then, dropped + 1
            return False
        self._said[key] = now, 0
        self._said.move_to_end(key)
        if len(self._said) > MOST_REMEMBERED:
            self._said.popitem(last=False)
        if dropped:
            record.msg, record.args = f"{text} ({dropped} more times since)", None
        return True
