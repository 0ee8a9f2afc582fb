"""The command `python -m tests.deep`."""

import argparse
import secrets
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.deep.groups import GROUPS, Group
from tests.deep.report import summary
from tests.deep.task import Task
from tests.support.cases import FOLDER

EXAMPLES = """examples:
  python -m tests.deep                             all groups, for ten minutes in all
  python -m tests.deep --minutes 60                the same for an hour
  python -m tests.deep --group larger --minutes 1  one group, for a minute
  python -m tests.deep --group soak --strict       the soak, which fails too if its target is missed
  python -m tests.deep --group seeded --seed 7     the choices of an earlier run, whose seed was 7

groups:
"""


def parser() -> argparse.ArgumentParser:
    """The options."""
    shown = EXAMPLES + "".join(f"  {group.name:<11} {group.says}\n" for group in GROUPS)
    made = argparse.ArgumentParser(
        prog="python -m tests.deep",
        description="Tests Writ with fresh random seeds for as long as you like, and writes failures as test cases.",
        epilog=shown + "\nexit code: 0 if nothing failed, 1 if something did, 2 for wrong usage",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [group.name for group in GROUPS]
    made.add_argument("--minutes", type=minutes, default=10.0, metavar="N", help="the time for all groups [10]")
    made.add_argument("--group", action="append", choices=names, metavar="NAME", help="only this group; repeatable")
    made.add_argument("--seed", type=int, metavar="S", help="repeat the random choices of an earlier run")
    made.add_argument("--strict", action="store_true", help="count missed targets of the soak as failures")
    made.add_argument("--cases", type=Path, default=FOLDER, metavar="DIR", help="where failures go [tests/cases]")
    return made


def minutes(text: str) -> float:
    """A time above zero."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError(text)
    return value


def run(group: Group, task: Task) -> float:
    """Run a group, and return the seconds it took. What it raises is a failure of its own."""
    begun = time.monotonic()
    try:
        group.run(task)
    except Exception as ex:
        where = traceback.extract_tb(ex.__traceback__)[-1]
        task.fail(f"the group itself ended: {type(ex).__name__}: {str(ex)[:800]} ({where.filename}:{where.lineno})")
    if sys.stderr.isatty():
        print(f"\r\033[K{group.name}: {task.examples:,} examples, {task.failures:,} failures", file=sys.stderr)
    return time.monotonic() - begun


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the groups and show the summary. Returns the exit code."""
    given = parser().parse_args(arguments)
    seed = secrets.randbits(32) if given.seed is None else given.seed
    chosen = [group for group in GROUPS if not given.group or group.name in given.group]
    print(f"seed {seed}, {given.minutes:g} minutes", flush=True)
    done: list[tuple[Task, float]] = []
    end = time.monotonic() + 60 * given.minutes
    for at, group in enumerate(chosen):
        share = group.share / sum(other.share for other in chosen[at:])
        with TemporaryDirectory() as folder:
            seconds = max(1.0, share * (end - time.monotonic()))
            choices = Random(f"{seed} {group.name}")
            task = Task(group.name, choices, seconds, Path(folder), given.cases, seed, given.strict)
            done.append((task, run(group, task)))
    print(summary(done))
    return 1 if any(task.failures for task, _ in done) else 0


if __name__ == "__main__":
    sys.exit(main())
