"""What the tasks of the console take: `python -m tests.bench.console_tasks`.

It does the tasks of the tests in a browser, and prints a row of Markdown for each. A task whose answer is not true ends
the run. The seconds are those of a person who does not stop to think: they compare pages on one machine.
"""

import tempfile
import time
from pathlib import Path

from tests.api.console.task_list import TASKS, at_work
from tests.support.console import chromium


def main() -> None:
    """Print the table."""
    print("| Task | Clicks | Keys | Seconds |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, chromium() as browser, at_work(browser, Path(folder)) as hand:
        for task in TASKS:
            began = time.monotonic()
            clicks, keys = task.do(hand)
            print(f"| {task.name} | {clicks} | {keys} | {time.monotonic() - began:.1f} |", flush=True)


if __name__ == "__main__":
    main()
