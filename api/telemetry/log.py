"""The log of the service, on standard error. Repeated messages are dropped for a while, so that they fill no disk."""

import logging
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from types import TracebackType
from typing import Final

from ..settings.settings import TEXT_LINES
from .log_lines import FRAMES, lines_of

LOG: Final = "writ"
"""The name of the logger."""

REPEAT_SECONDS: Final = 10.0
"""The time for which a repeated message is dropped."""

MOST_REMEMBERED: Final = 1_000


def service_log(level: str, log_format: str = TEXT_LINES) -> logging.Logger:
    """Returns the log of the service. It shows messages from `level` (`debug` to `error`) up, as `text` or `json`."""
    log = logging.getLogger(LOG)
    log.setLevel(level.upper())
    log.propagate = False
    if not log.handlers:
        log.addHandler(_handler(log_format))
    return log


def take_strangers(log_format: str) -> None:
    """Lets what libraries and Python itself say on standard error be lines of the log, too: warnings, lost errors."""
    logging.getLogger().addHandler(_handler(log_format))
    logging.captureWarnings(True)
    log = logging.getLogger(LOG)

    def lost(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None and not issubclass(kind, KeyboardInterrupt | SystemExit):
            log.critical("an error was not handled: %s", kind.__name__, exc_info=(kind, error, trace))

    sys.excepthook = lost
    threading.excepthook = lambda found: lost(found.exc_type, found.exc_value, found.exc_traceback)
    sys.unraisablehook = lambda found: lost(found.exc_type, found.exc_value, found.exc_traceback)


def _handler(log_format: str) -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(lines_of(log_format))
    handler.addFilter(Repeats(time.monotonic))
    return handler


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
        key = record.levelno, text + getattr(record, FRAMES, "")
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
