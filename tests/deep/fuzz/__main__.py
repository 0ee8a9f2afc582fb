"""The command `python -m tests.deep.fuzz TARGET FOLDER SECONDS SEED`: one target, until the time is over.

`FOLDER/inputs` gets the inputs to begin with, and those that reach more code. An input that breaks its law is written
to `FOLDER` as `crash-…`, and ends the process.
"""

import sys
import time
from pathlib import Path

import atheris

BEGAN = time.monotonic()

with atheris.instrument_imports(include=["writ", "jwt"], enable_loader_override=False):
    from tests.deep.fuzz.kept import kept
    from tests.deep.fuzz.targets import TARGETS, target
    from tests.support.strategies_pick import Pick

    FOUND = target(sys.argv[1])

LONGEST = 8_192
"""The bytes of an input."""

STALLED_SECONDS = 120
"""An input that takes longer is a finding. An ordinary one takes milliseconds."""

MOST_MEMORY = 4_096
"""The mebibytes of a process with which an input is a finding."""


def changed(data: bytes, most: int, seed: int) -> bytes:
    """Half of the changes suit the structure of the input, the others are of bytes."""
    pick = Pick.seeded(seed)
    if pick.chance(1, 2):
        return bytes(atheris.Mutate(data, most))
    return FOUND.mutated(pick, data)[:most]


def main(folder: Path, seconds: int, seed: int) -> None:
    """Run the target. It does not return."""
    inputs = folder / "inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate((*kept(FOUND.name), *FOUND.starts())):
        (inputs / f"start{number}").write_bytes(data)
    options = {
        "max_total_time": max(1, round(seconds - (time.monotonic() - BEGAN))),  # to load and to watch takes seconds
        "seed": seed,
        "max_len": LONGEST,
        "timeout": STALLED_SECONDS,
        "rss_limit_mb": MOST_MEMORY,
        "artifact_prefix": f"{folder}/",
        "print_final_stats": 1,
    }
    arguments = [f"-{name}={value}" for name, value in options.items()]
    atheris.Setup([sys.argv[0], *arguments, str(inputs)], FOUND.law(folder), custom_mutator=changed)
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1] not in TARGETS:
        sys.exit(f"no such target: {sys.argv[1]}")
    main(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
