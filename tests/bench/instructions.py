"""Counts the bytecode instructions of ten operations: `python -m tests.bench.instructions` prints them as JSON.

Bytecode is what can be counted everywhere: processors of virtual machines often have no counters, and a simulated
processor takes minutes. The count is exact, whatever else the machine does. Only that of the compiler varies, by
0.02 %, since some sets are in the order of addresses. The count leaves out the work of libraries in C, such as reading
JSON: the programs that measure processor time show that. Each minor version of Python has other instructions, so their
counts can't be compared.

This program is a process of its own with a fixed seed for hashes, since hashes choose the order of sets. Its garbage
collector is off. Each operation is done a few times before, so that what it remembers is there. The least count of
several is taken: once a second, the next request also makes a `Date` header. The first count of all is left out: from
Python 3.12 on, it lacks what ran before a function was prepared for counting.
"""

import gc
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, Final

from tests.bench.operations import Operation, Operations
from tests.support.server import ROOT, environment

SEED: Final = {"PYTHONHASHSEED": "0"}

COUNTED: Final = 5
"""The times that an operation is counted at most."""


def counted(call: Callable[[], object]) -> int:
    """Returns the bytecode instructions that a call takes in this thread."""
    count = 0

    def local(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        if event == "opcode":
            count += 1
        return local

    def entered(frame: FrameType, _event: str, _argument: Any) -> Any:
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return local

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def all_counts() -> Mapping[str, int]:
    """Returns the count of each operation, by name, as counted in a process of its own."""
    line = [sys.executable, "-m", "tests.bench.instructions"]
    done = subprocess.run(line, env=environment(SEED), cwd=ROOT, capture_output=True, text=True, timeout=100)
    if done.returncode:
        raise AssertionError(f"the operations could not be counted: {done.stderr}")
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def main() -> None:
    """Print the counts."""
    gc.disable()
    with Operations() as operations:
        print(json.dumps({one.name: _steady(one) for one in operations.all()}, indent=1))


def _steady(one: Operation) -> int:
    for _ in range(one.times):
        one.prepare()()
    counted(one.prepare())
    return min(counted(one.prepare()) for _ in range(min(one.times, COUNTED)))


if __name__ == "__main__":
    main()
