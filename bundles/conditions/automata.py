"""The automata of RE2, which search for patterns: compiled when first needed, in a table bounded in bytes (C6)."""

import os
import threading
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

import re2

from ..event_loop import refuse_on_event_loop

Automaton: TypeAlias = Any
"""A compiled pattern of RE2, whose `search` takes UTF-8."""

MAX_TABLE_BYTES = 64 * 2**20
"""The memory of all automata that one process keeps, whatever its environments test.

That is room for 3,000 ordinary patterns of 20 instructions. What they really take is less, since most never fill their
memory: 5 KiB each.
"""

FIXED_BYTES = 8 * 2**10
BYTES_PER_INSTRUCTION = 704
"""The memory of an automaton, which grows with its instructions.

RE2's own default is 8 MiB, and a hostile pattern fills it: 300 patterns like `(a|b)*a(a|b){10}` took 1.1 MiB each, and
take 6 KiB each with this memory. Ordinary patterns are found in the same time (2 µs in short texts, 0.1 ms in 64 KiB).
With half of it, RE2 has no room for its fast method: 64 KiB take 0.3 to 25 ms. Its slower method finds the same.
"""

LARGEST_BYTES = 8 * 2**20
"""RE2's default. A pattern that passed its check compiles with it."""

CHECK_BYTES = 70 * 2**10
"""The memory with which RE2 compiles a pattern for its check: room for almost 6,000 instructions of its first draft.

A program of 3,000 instructions, the most that a pattern may have, begins as a draft of up to about 5,000. With RE2's
default, hostile patterns like `a{0,1000}` 25 times compiled for 1.6 s, to be refused then. Now they take 4 ms.
"""

_TOO_LARGE: Final = "pattern too large"
"""The beginning of RE2's reason if the memory is too small."""

QUICK_SEARCH = 100_000
"""The most bytes of a text times instructions of a pattern that an event loop searches: 0.3 ms. RE2 takes up to
3 ns for each, so that a legal pattern can take half a second for 64 KiB."""


def memory_for(instructions: int) -> int:
    """Returns the memory, in bytes, of an automaton with so many instructions.

    >>> memory_for(20), memory_for(3_000)
    (22272, 2120192)
    """
    return min(FIXED_BYTES + BYTES_PER_INSTRUCTION * instructions, LARGEST_BYTES)


class RejectedPattern(ValueError):
    """RE2 rejects a pattern. The message is one sentence."""


class NoRoom(RejectedPattern):
    """A pattern does not compile within its memory."""


def compiled(pattern: str, memory: int = LARGEST_BYTES, captures: bool = True) -> Automaton:
    """Returns the automaton of a pattern. It takes `memory` bytes at most. Raises RejectedPattern.

    PERF: a search without captures is up to three times as fast, and finds the same.
    """
    options = re2.Options()
    options.log_errors, options.max_mem, options.never_capture = False, memory, not captures
    try:
        return re2.compile(pattern, options)
    except UnicodeEncodeError:
        raise RejectedPattern("the pattern contains a lone surrogate") from None
    except re2.error as ex:
        reason = ex.args[0].decode(errors="replace") if ex.args and isinstance(ex.args[0], bytes) else str(ex)
        kind = NoRoom if reason.startswith(_TOO_LARGE) else RejectedPattern
        raise kind(f"RE2 rejects the pattern: {reason}") from None
    finally:
        re2.purge()  # the binding would keep the last 128 automata


class _Entry(NamedTuple):
    """An automaton, its memory in bytes and its instructions."""

    automaton: Automaton
    memory: int
    instructions: int


class Automata:
    """A table of automata by pattern, bounded in bytes. It is thread-safe and fork-safe.

    It has two generations, each of half the bytes. New automata go into the young one, and so do old ones that are
    used again. If the young one is full, it becomes the old one, and the automata of the old one are dropped.

    PERF: a search of a young automaton takes one look-up in a dictionary, and no lock.
    """

    _young: dict[str, "_Entry"]
    _old: dict[str, "_Entry"]
    _young_bytes: int
    _old_bytes: int

    def __init__(self, instructions: Callable[[str], int], table_bytes: int = MAX_TABLE_BYTES):
        """`instructions` checks a pattern and returns the size of its automaton, or raises ValueError."""
        self._instructions = instructions
        self._half = table_bytes // 2
        self._left_behind: object = None
        self._clear()
        if hasattr(os, "register_at_fork"):  # not on Windows
            os.register_at_fork(after_in_child=self._leave_behind)

    @property
    def bytes(self) -> int:
        """The memory of all automata in the table, as bounded when they were compiled. At most `table_bytes`."""
        return self._young_bytes + self._old_bytes

    def of(self, pattern: str, text_bytes: int = 0) -> Automaton:
        """Returns the automaton of a pattern, to search a text of so many bytes.

        Raises ValueError for a pattern that fails its check. On an event loop, it raises TakesLong if the pattern
        has to be compiled first, or if the search is not quick.
        """
        found = self._young.get(pattern) or self._missed(pattern)
        if text_bytes * found.instructions > QUICK_SEARCH:
            refuse_on_event_loop()
        return found.automaton

    def _missed(self, pattern: str) -> "_Entry":
        found = self._old.get(pattern)
        if found is None:
            refuse_on_event_loop()
            found = self._compiled(pattern)
        with self._lock:
            self._keep(pattern, found)
        return found

    def _compiled(self, pattern: str) -> "_Entry":
        instructions = self._instructions(pattern)
        memory = memory_for(instructions)
        try:
            return _Entry(compiled(pattern, memory, captures=False), memory, instructions)
        except RejectedPattern:  # RE2 needs more while it compiles, and the pattern passed its check with this much
            return _Entry(compiled(pattern, LARGEST_BYTES, captures=False), LARGEST_BYTES, instructions)

    def _keep(self, pattern: str, found: "_Entry") -> None:
        """Put an automaton into the young generation. One that is larger than a generation is not kept."""
        if pattern in self._young or found.memory > self._half:
            return
        if self._young_bytes + found.memory > self._half:
            self._old, self._old_bytes = self._young, self._young_bytes
            self._young, self._young_bytes = {}, 0
        self._young[pattern] = found
        self._young_bytes += found.memory

    def _clear(self) -> None:
        self._lock = threading.Lock()
        self._young, self._young_bytes = {}, 0
        self._old, self._old_bytes = {}, 0

    def _leave_behind(self) -> None:
        """Begin an empty table in a forked process.

        Another thread of the parent may have held a lock of an automaton, or of the table. The child never gets such a
        lock. So it neither uses nor frees these automata, whose memory it shares with its parent.
        """
        self._left_behind = self._left_behind, self._young, self._old
        self._clear()
