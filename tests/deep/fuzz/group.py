"""Fuzzing in a deep run: each target in turn, in a process of its own, for its part of the time."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tests.deep.fuzz.failing import broken, smallest
from tests.deep.fuzz.kept import line_of, write_found
from tests.deep.fuzz.targets import TARGETS, Target, target
from tests.deep.task import MOST_WRITTEN, Task
from tests.support.server import ROOT

PATIENCE: Final = 300.0
"""The seconds after its time in which a process has to end, before it is killed."""

_RUNS: Final = re.compile(r"stat::number_of_executed_units: (\d+)|^#(\d+)\t", re.MULTILINE)


def check_fuzz(task: Task) -> None:
    """All targets, if Atheris is installed."""
    if find_spec("atheris") is None:
        task.note("not run: Atheris is not installed; install the extra `fuzz`")
        return
    for at, name in enumerate(TARGETS):
        try:
            found = target(name)
        except ImportError as ex:
            task.note(f"{name} not run: {ex}")
            continue
        fuzz(task, found, task.left / (len(TARGETS) - at))


def fuzz(task: Task, found: Target, seconds: float) -> None:
    """One target for some seconds. After a finding it goes on from the inputs that it had."""
    folder, runs, findings = task.folder / found.name, 0, 0
    begun = task.left
    end = begun - seconds
    while (not runs or task.left - end >= 1) and findings < MOST_WRITTEN:
        told = run(found.name, folder, task.left - end, task.fresh_seed() % 2**31)
        executed = max((int(one or other) for one, other in _RUNS.findall(told)), default=0)
        task.count(executed)
        runs += executed
        inputs = artefacts(folder)
        if not inputs and not executed:
            task.fail(f"{found.name} did not run: {told[-800:]}")
            break
        for data in inputs:
            findings += 1
            tell(task, found, data, told)
    reached = len(list((folder / "inputs").glob("*"))) if folder.exists() else 0
    task.note(
        f"{found.name}: {runs:,} inputs in {begun - task.left:.0f} s, {reached:,} reach other code, {findings} findings"
    )


def run(name: str, folder: Path, seconds: float, seed: int) -> str:
    """Run a target in a process. Returns what it said."""
    line = [sys.executable, "-m", "tests.deep.fuzz", name, str(folder), str(max(1, int(seconds))), str(seed)]
    try:
        ran = subprocess.run(
            line, cwd=ROOT, capture_output=True, text=True, errors="replace", timeout=seconds + PATIENCE
        )
    except subprocess.TimeoutExpired as ex:
        return f"it did not end: {ex}"
    return ran.stderr + ran.stdout


def artefacts(folder: Path) -> list[bytes]:
    """The inputs that Atheris left as findings: they broke the law, or took too long. It takes them away."""
    paths = [path for kind in ("crash", "timeout", "oom", "leak") for path in sorted(folder.glob(f"{kind}-*"))]
    found = [path.read_bytes() for path in paths]
    for path in paths:
        path.unlink()
    return found


def tell(task: Task, found: Target, data: bytes, told: str) -> None:
    """Write a finding as small as it gets. The ordinary suite runs it from then on."""
    folder = task.folder / "again"
    folder.mkdir(exist_ok=True)
    law = found.law(folder)
    wrong = broken(law, data)
    if wrong is None:
        task.fail(f"{found.name}: only that process failed on {line_of(data)[:500]}: {told[-800:]}")
        return
    path = write_found(found.name, smallest(law, data), task.cases)
    task.failures += 1
    task.note(f"FAILED: {found.name}, written to {path.name}\n  {' '.join(wrong.split())[:500]}")
