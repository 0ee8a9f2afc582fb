"""The laws that hypothesis draws: the test modules, run by pytest with fresh seeds and many more examples."""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.deep.task import Task
from tests.support.server import ROOT

TIMES = 4
"""How many times the examples of an ordinary run, in each round."""

_GRACE = 5


def check_drawn_laws(task: Task) -> None:
    """Rounds of all drawn laws, each round in another order and with another seed, until the time is over."""
    rounds, begun, unfinished = 0, 0, 0
    while task.left > 0:
        seed = task.random.getrandbits(31)
        rows = list(round_of(task, seed))
        rounds, begun = rounds + 1, begun + len(rows)
        unfinished = sum(row["outcome"] == "stopped" for row in rows)
        for row in rows:
            task.count(row["examples"])
            if row["outcome"] == "failed":
                task.fail(f"{row['test']}, --hypothesis-seed={seed}\n  {row['why'][-1_500:]}")
        if not rows:
            task.fail(f"pytest told of no law, --hypothesis-seed={seed}")
            break
    task.note(
        f"{begun} laws begun in {rounds} rounds, {TIMES} times the examples; {unfinished} of the last not finished"
    )


def round_of(task: Task, seed: int) -> list[dict[str, Any]]:
    """What the plugin tells of each law that was begun."""
    told = task.folder / f"{seed}.jsonl"
    told.touch()
    line = [
        sys.executable,
        "-m",
        "pytest",
        "-m",
        "hypothesis and not heavy",
        "-p",
        "tests.deep.plugin",
        "-p",
        "no:cacheprovider",
    ]
    line += ["--timeout", "0", f"--hypothesis-seed={seed}", f"--deep-told={told}", f"--deep-seconds={task.left:.0f}"]
    line += drawing_files()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with suppress(subprocess.TimeoutExpired):  # a law may take longer than what is left: it told that it had begun
        subprocess.run(line, cwd=ROOT, timeout=max(task.left, 0) + _GRACE, **quiet)
    return last_of_each(told)


def drawing_files() -> list[str]:
    """The test files with drawn laws: only these are collected, which takes time."""
    return sorted(str(path) for path in (ROOT / "tests").rglob("test_*.py") if "\n@given(" in path.read_text())


def last_of_each(told: Path) -> list[dict[str, Any]]:
    """The last line about each law."""
    rows = [json.loads(line) for line in told.read_text().splitlines() if line.endswith("}")]
    return list({row["test"]: row for row in rows}.values())
