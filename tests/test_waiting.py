"""No test waits for a time: it waits for the state that it asserts, by `tests/support/waiting.py`.

A pause that suffices here is too short on a slower machine, and too long on a faster one. The few that stay are named.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent
CALLS: Final = {"sleep", "Timer", "call_later", "wait_for_timeout"}
"""The calls that let time pass, by their last name."""
SHORT_SECONDS: Final = 20
"""A wait for a state that takes a constant below this is a pause, or fails on a slow machine."""
_MAY_PAUSE: Final = re.compile(r"sleep|Timer|call_later|wait_for_timeout|\.wait\(|select\.select")
_IN_PROGRAM: Final = re.compile(r"\b(?:time|asyncio)\.sleep\(|\bsleep \d")

STAY: Final[dict[str, str]] = {
    "support/waiting.py::wait_until": "the pause between two looks at a state",
    "support/waiting.py::until": "the same in an event loop",
    "support/waiting.py::rounds": "no time at all: a step of the event loop",
    "support/console.py::Desk": "the pause between two looks, in which Playwright lets the browser go on",
    "support/event_loops.py::takes": "it passes at once, in a loop with a clock of its own",
    "support/dripping.py::drip": "a slow peer: it ends when the other side speaks or leaves",
    "support/servers_together.py::outlast": "the length of a fault in leases, and a lease is a time",
    "api/service/test_in_force.py::pause": "the length of a fault: the worker that stands still may have all clients",
    "api/store/leases/test_under_faults.py::last": "the length of a fault, at random",
    "support/killed_swaps.py::killed": "the moment of a kill, at random",
    "deep/soak_callers.py::_ask": "the pace of a caller",
    "deep/soak_callers.py::slow_reader": "a caller that reads nothing for a while",
    "deep/soak_callers.py::half_requests": "a caller that stops in the middle for a while",
    "support/console_pictures.py::_settle": "no test: a part of a page begins to wait a moment after it is drawn",
}
"""The functions that pause, and why each one must."""

BENCHMARKS: Final = {
    *("console_pages.py::count_pages", "decision_log.py::main", "edge.py::first_answer", "edge.py::large"),
    *("edge.py::one_change", "following.py::changing", "following.py::compacting", "following.py::create_grants"),
    *("http/in_process.py::_pause", "management.py::decisions_beside", "observing.py::main", "promoting.py::main"),
    *("servers.py::fail_over", "waiting.py::decided", "waiting.py::measured"),
}
"""The functions of benchmarks that pause: they measure for a time, and let the machine settle. They assert nothing."""


def pauses(source: str) -> Iterator[tuple[str, int]]:
    """Yields the outermost function and the line of each pause of a module. A program in a text counts too."""
    if _MAY_PAUSE.search(source) is None:
        return
    for top in ast.parse(source).body:
        name = getattr(top, "name", "")
        yield from ((name, node.lineno) for node in ast.walk(top) if isinstance(node, ast.expr) and _pauses(node))


def _pauses(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and _IN_PROGRAM.search(node.value) is not None
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return called in CALLS or (called == "wait" and _is_short(node)) or (called == "select" and _is_pause(node))


def _is_short(call: ast.Call) -> bool:
    """Whether an event or a process is waited for, for a short time that is written there."""
    given = [*call.args, *(one.value for one in call.keywords)]
    return len(given) == 1 and isinstance(one := given[0], ast.Constant) and _is_below(one.value, SHORT_SECONDS)


def _is_below(value: object, seconds: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value < seconds


def _is_pause(call: ast.Call) -> bool:
    """Whether a `select` waits for a time: 0 is a look."""
    last = call.args[3] if ast.unparse(call.func) == "select.select" and len(call.args) == 4 else ast.Constant(0)
    return not isinstance(last, ast.Constant) or bool(last.value)


@cache
def found() -> dict[str, list[int]]:
    """The lines of all pauses, by file and function."""
    places: dict[str, list[int]] = {}
    for path in sorted(TESTS.rglob("*.py")):
        if path != Path(__file__):
            name = path.relative_to(TESTS).as_posix()
            for function, line in pauses(path.read_text()):
                places.setdefault(f"{name}::{function}", []).append(line)
    return places


def test_no_test_waits_for_a_time() -> None:
    """Wait for a state instead, or set a clock."""
    known = {*STAY, *(f"bench/{name}" for name in BENCHMARKS)}
    assert {place: lines for place, lines in found().items() if place not in known} == {}
    assert known <= {*found()}, "what pauses no more is named no more"


@pytest.mark.parametrize(
    ("text", "is_pause"),
    [
        ("time.sleep(1)", True),
        ("system.sleep(some())", True),
        ("await asyncio.sleep(0.1)", True),
        ("sleep(2)", True),
        ("threading.Event().wait(0.2)", True),
        ("event.wait(timeout=0.2)", True),
        ("event.wait(60)", False),
        ("event.wait()", False),
        ("process.wait(PATIENCE_SECONDS)", False),
        ("threading.Timer(0.5, act).start()", True),
        ("page.wait_for_timeout(20)", True),
        ("select.select([], [], [], 0.05)", True),
        ("select.select([one], [], [], 0)", False),
        ("select.select([one], [], [])", False),
        ("run(['python', '-c', 'import time; time.sleep(9)'])", True),
        ("run(['sh', '-c', 'sleep 9'])", True),
    ],
)
def test_a_pause_is_recognised(text: str, is_pause: bool) -> None:
    assert bool([*pauses(f"async def test():\n    {text}\n")]) is is_pause
