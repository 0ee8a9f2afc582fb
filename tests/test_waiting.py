"""No test waits for a time: it waits for the state that it asserts, by `tests/support/waiting.py`.

A pause that suffices here is too short on a slower machine, and too long on a faster one. The few that stay are named.
"""

import ast
import re
from collections import Counter
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
    "support/dripping.py::drip": "a slow peer: it ends when the other side speaks or leaves",
    "support/event_loops.py::takes": "it passes at once, in a loop with a clock of its own",
    "support/waiting.py::wait_until": "the pause between two looks at a state",
    "support/waiting.py::until": "the same in an event loop",
    "support/waiting.py::rounds": "no time at all: a step of the event loop",
}
"""The functions that pause, and why each one must."""

LEFT: Final[dict[str, int]] = {
    "api/cli/testing/test_test.py": 1,
    "api/client/client/test_headers.py": 1,
    "api/client/client/test_hostile.py": 3,
    "api/client/decision_log/test_decision_log.py": 2,
    "api/client/mirror/test_read_your_writes.py": 1,
    "api/console/test_sessions.py": 2,
    "api/deployment/test_tls_proxies.py": 1,
    "api/endpoints/gateway/test_envoy_listener.py": 1,
    "api/endpoints/insight/test_denials.py": 1,
    "api/endpoints/previewing/test_turns.py": 1,
    "api/service/observing/test_access_log.py": 1,
    "api/service/observing/test_telemetry.py": 2,
    "api/service/test_in_force.py": 5,
    "api/service/test_servers_apart.py": 8,
    "api/service/test_servers_clocks.py": 4,
    "api/service/test_servers_in_trouble.py": 1,
    "api/service/test_servers_together.py": 10,
    "api/service/test_servers_two_primaries.py": 1,
    "api/service/upkeep/test_use_upkeep.py": 2,
    "api/store/database/test_problems.py": 2,
    "api/store/database/test_trouble.py": 1,
    "api/store/database/test_without_index.py": 1,
    "api/store/duties/test_duty_thread.py": 1,
    "api/store/leases/test_leased_servers.py": 1,
    "api/store/leases/test_under_faults.py": 4,
    "bench/console_pages.py": 1,
    "bench/decision_log.py": 1,
    "bench/edge.py": 4,
    "bench/following.py": 3,
    "bench/http/in_process.py": 1,
    "bench/http/processes.py": 1,
    "bench/http/test_busy_load.py": 1,
    "bench/management.py": 1,
    "bench/observing.py": 1,
    "bench/promoting.py": 2,
    "bench/servers.py": 2,
    "bench/waiting.py": 3,
    "deep/soak_callers.py": 3,
    "support/console_pictures.py": 1,
    "support/decision_point.py": 3,
    "support/killed_swaps.py": 1,
    "support/mariadb.py": 1,
    "support/pgbouncer.py": 1,
}
"""The files whose pauses are still to become states: none may join."""


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
    given = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "timeout")]
    return any(isinstance(one, ast.Constant) and _is_number(one.value) and one.value < SHORT_SECONDS for one in given)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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
    others = {place: lines for place, lines in found().items() if place not in STAY}
    counts = Counter[str]()
    for place, lines in others.items():
        counts[place.partition("::")[0]] += len(lines)
    assert counts == LEFT, others


def test_what_stays_is_still_there() -> None:
    assert set(STAY) <= set(found())


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
