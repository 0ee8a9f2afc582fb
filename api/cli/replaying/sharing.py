"""Shares the lines of a log among processes, in constant memory: few pieces are on their way at a time."""

import gzip
import io
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from multiprocessing import get_context
from typing import Final, cast

from ...http.lines import Readable, read_lines
from ...review.replaying.replayed_record import Replayed
from ...review.replaying.tally import Lines, Tally, tally
from ..output import progress_bar

MOST_LINE: Final = 32 * 2**20
"""Bytes of a line. Writ's records are shorter by default."""

AHEAD: Final = 2
"""Pieces for each process that are read ahead."""

STAGE: Final = "replay"

_GZIP: Final = b"\x1f\x8b"


class LogSource:
    """A log, perhaps compressed. `size` is in bytes, or 0 if it can't be known."""

    def __init__(self, raw: io.BufferedReader, size: int) -> None:
        self._raw, self.size = raw, size
        self._counts = size > 0
        compressed = raw.peek(len(_GZIP))[: len(_GZIP)] == _GZIP
        self.stream = cast(Readable, gzip.GzipFile(fileobj=raw) if compressed else _Unbuffered(raw))

    def done(self) -> int:
        """Returns the bytes that were read."""
        return self._raw.tell() if self._counts else 0


class _Unbuffered:
    """Gives bytes as they arrive, so that a pipe is read to its end piece by piece."""

    def __init__(self, raw: io.BufferedReader) -> None:
        self._raw = raw

    def read(self, size: int, /) -> bytes:
        return self._raw.read1(size)


def replayed(asked: Replayed, source: LogSource, processes: int) -> Tally:
    """Returns the tally of a log. Raises BundleError, and OSError and EOFError for a log that can't be read."""
    pieces = _pieces(source)
    begun = list(islice(pieces, 2))
    total = Tally()
    if len(begun) < 2 or processes == 1:  # a short log: to start processes takes longer
        with progress_bar() as progress:
            for lines, first in chain(begun, pieces):
                total.add(tally(asked, lines, first))
                progress(STAGE, source.done(), source.size)
        return total
    with ProcessPoolExecutor(processes, get_context("fork"), _prepare, (asked,)) as pool:
        pool.submit(_is_ready).result()  # forks now, before the progress bar has a thread
        with progress_bar() as progress:
            waiting: deque[Future[Tally]] = deque()
            for lines, first in chain(begun, pieces):
                waiting.append(pool.submit(_tally, lines, first))
                if len(waiting) > AHEAD * processes:
                    total.add(waiting.popleft().result())
                    progress(STAGE, source.done(), source.size)
            while waiting:
                total.add(waiting.popleft().result())
    return total


def _pieces(source: LogSource) -> Iterator[tuple[Lines, int]]:
    """Yields lines that follow each other, with the number of the first of them."""
    first = 1
    for lines in read_lines(source.stream, MOST_LINE):
        yield lines, first
        first += len(lines)


_SHARED: list[Replayed] = []
"""In a forked process: what it works with. The engine's mapping is the one of its parent."""


def _prepare(asked: Replayed) -> None:
    _SHARED.append(asked)


def _is_ready() -> bool:
    return bool(_SHARED)


def _tally(lines: Lines, first: int) -> Tally:
    return tally(_SHARED[0], lines, first)
