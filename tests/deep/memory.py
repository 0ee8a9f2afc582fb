"""Watches how much memory the workers of a server have."""

import threading
from contextlib import suppress
from pathlib import Path
from statistics import median

from tests.support.processes import children

_EVERY = 0.5
_LONG = 60
"""Seconds from which on growth is judged: before that, caches fill."""

_SLACK = 64
_MOST_GROWTH = 1.5


class Watch:
    """Samples the resident memory of all workers of a process, in MiB, while it is entered."""

    def __init__(self, parent: int) -> None:
        self._parent = parent
        self._samples: list[float] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def told(self) -> str:
        """The figures, in words."""
        if not self._samples:
            return "not seen"
        first, last = self._samples[0], self._samples[-1]
        return f"{first:.0f} MiB at the start, {last:.0f} MiB at the end, {max(self._samples):.0f} MiB at most"

    def grows_without_end(self) -> str | None:
        """Says that memory in the last quarter is far above that in the second, or None."""
        if len(self._samples) * _EVERY < _LONG:
            return None
        quarter = len(self._samples) // 4
        second, last = median(self._samples[quarter : 2 * quarter]), median(self._samples[-quarter:])
        if last <= _MOST_GROWTH * second + _SLACK:
            return None
        return f"memory grows: {second:.0f} MiB in the second quarter, {last:.0f} MiB in the last"

    def _watch(self) -> None:
        while not self._stop.wait(_EVERY):
            with suppress(OSError):
                self._samples.append(sum(map(resident, children(self._parent))))


def resident(process: int) -> float:
    """The resident memory of a process in MiB, without what it shares with files; 0 if it is gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1_024
    return 0.0
