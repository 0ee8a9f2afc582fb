"""What it costs to find the smallest sets of changes for a denied request: `python -m tests.bench.why_not`.

It asks the demo model and a model of 1,000 policies many denied questions, and prints the median and the longest
processor time. The first question about a type and an action reads its rules; it is among the times.
"""

import sys
import tempfile
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any, Final

from writ.runtime import Engine

from tests.bench.models import company, crowded
from tests.support.bundling import bundle_file, demo_bundle

QUESTIONS: Final = 200
POLICIES: Final = 1_000


def main() -> int:
    """Measure both models."""
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder) / "demo.bundle"
        demo_bundle(demo)
        show("demo", Engine.open(demo, clock=lambda: 1_767_607_200.0))
        large = bundle_file(company(POLICIES), Path(folder) / "large.bundle")
        show(f"{POLICIES} policies", Engine.open(large, clock=lambda: 1_767_607_200.0))
        crowd = bundle_file(crowded(POLICIES), Path(folder) / "crowded.bundle")
        show(f"{POLICIES} policies on one type", Engine.open(crowd, clock=lambda: 1_767_607_200.0))
    return 0


def show(name: str, engine: Engine) -> None:
    """Ask questions about each type and action in turn, and print a line."""
    random = Random(name)
    pairs = [(one.name, action) for one in engine.state.types if one is not None for action in one.actions]
    random.shuffle(pairs)
    times, sets, complete = [], 0, 0
    for number in range(QUESTIONS):
        type, action = pairs[number % len(pairs)]
        request: dict[str, Any] = {
            "subject": {"type": "user", "id": f"nobody-{number}"},
            "action": {"name": action},
            "resource": {"type": type, "id": f"thing-{number}"},
        }
        if not engine.decide(request)["decision"]:
            start = process_time()
            found = engine.why_not(request)
            times.append(process_time() - start)
            sets += len(found["sets"])
            complete += found["complete"]
    milliseconds = f"{median(times) * 1000:.1f} ms, at most {max(times) * 1000:.1f} ms"
    print(f"{name}: {len(times)} questions, {milliseconds}; {sets} sets, {complete} answers complete")


if __name__ == "__main__":
    sys.exit(main())
