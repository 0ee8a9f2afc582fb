"""What opening a large bundle costs, and looking up a grant in it: `python -m tests.bench.opening`.

A document with a million direct grants is written and compiled once, by the command that users have; then processes
of their own open the bundle and answer, so that nothing is warm but the operating system's file cache.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from writ.bundles.file.fact_records import grants_prefix
from writ.bundles.file.reader import open_bundle
from writ.runtime import Engine

from tests.bench.models import Document, company
from tests.bench.rounds import per_item

POLICIES = 1_000
PROCESSES = 9
LOOK_UPS = 5_000
PASSES = 9
MIB = 2**20
COMPILE = "from writ.api.cli.main import main; main()"


def grant(number: int, subjects: int, types: Sequence[Document]) -> Document:
    """The grant of that number, each on a resource of its own."""
    type = types[number % len(types)]
    actions = type["actions"]
    return {
        "id": f"g{number}",
        "subject": {"type": "user", "id": f"u{number % subjects}"},
        "resource": {"type": type["id"], "id": f"d{number}"},
        "actions": [actions[number % len(actions)], actions[(number + 1) % len(actions)]],
    }


def write_document(path: Path, grants: int, subjects: int) -> None:
    """A company's document with so many grants for so many subjects, streamed to `path`."""
    document: Document = {"model": 1} | company(POLICIES) | {"grants": []}
    types = document["resource_types"]
    head, tail = json.dumps(document).split('"grants": []')
    rows = (json.dumps(grant(number, subjects, types), separators=(",", ":")) for number in range(grants))
    with path.open("w") as file:
        file.write(f'{head}"grants": [')
        for number, row in enumerate(rows):
            file.write(f",\n{row}" if number else row)
        file.write(f"]{tail}")


def compile_document(document: Path, bundle: Path) -> None:
    """Run `writ compile` and print what it needed; what it says goes into a file beside the bundle."""
    start, said = time.perf_counter(), bundle.with_suffix(".log")
    with said.open("w") as log:
        command = [sys.executable, "-c", COMPILE, "compile", str(document), "-o", str(bundle)]
        child = subprocess.Popen(command, stderr=log)
        _, status, usage = os.wait4(child.pid, 0)  # unlike `Popen.wait`, it tells the child's memory
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"`writ compile` ended with exit code {child.returncode}:\n{said.read_text()}")
    print(f"document                       {document.stat().st_size / MIB:8.1f} MiB")
    print(f"bundle                         {bundle.stat().st_size / MIB:8.1f} MiB")
    print(f"compiling                      {time.perf_counter() - start:8.1f} s")
    print(f"compiling, memory at its peak  {usage.ru_maxrss / 1024:8.1f} MiB")


def questions(grants: int, subjects: int, count: int) -> Iterator[Document]:
    """Requests that distinct grants decide, spread over the whole bundle."""
    types = company(POLICIES)["resource_types"]
    for number in Random("look-ups").sample(range(grants), min(count, grants)):
        row = grant(number, subjects, types)
        yield {"subject": row["subject"], "action": {"name": row["actions"][0]}, "resource": row["resource"]}


def measured(bundle: Path, grants: int, subjects: int) -> dict[str, float]:
    """What a process of its own finds: opening in milliseconds, look-ups in microseconds."""
    first, *asked = questions(grants, subjects, LOOK_UPS + 1)
    start = time.perf_counter()
    engine = Engine.open(bundle)
    opened = time.perf_counter()
    answer = engine.decide(first)
    decided = time.perf_counter()
    if answer["context"].get("access_path") != "direct":
        sys.exit(f"the grant was not found: {answer}")
    return {
        "opening, ms": (opened - start) * 1e3,
        "first decision, ms": (decided - opened) * 1e3,
        "opening and first decision, ms": (decided - start) * 1e3,
        **_passes("look-up", *_look_up(bundle, asked)),
        **_passes("allowed", engine.allowed, [_arguments(request) for request in asked]),
        **_passes("decide", Engine.open(bundle).decide, [(request,) for request in asked]),
    }


def _look_up(bundle: Path, asked: Sequence[Document]) -> tuple[Callable[..., Any], list[tuple[str, int, str]]]:
    """The look-up of a grant by itself, with the keys that an engine has at hand."""
    opened = open_bundle(bundle)
    numbers = {type.id: number for number, type in enumerate(opened.types)}
    keys = []
    for request in asked:
        subject, resource = request["subject"], request["resource"]
        prefix = grants_prefix(subject["type"], subject["id"])
        keys.append((prefix, numbers[resource["type"]], resource["id"]))
    return opened.grants, keys


def _arguments(request: Document) -> tuple[str, ...]:
    subject, resource = request["subject"], request["resource"]
    return subject["type"], subject["id"], request["action"]["name"], resource["type"], resource["id"]


def _passes(what: str, call: Callable[..., Any], items: Sequence[tuple[Any, ...]]) -> dict[str, float]:
    """The first touch of every item, then the median of the passes after it."""
    if not call(*items[0]):
        sys.exit(f"{what}: nothing was found")
    cold, *warm = (per_item(call, items[1:], flat=True) for _ in range(1 + PASSES))
    return {f"{what}, first touch, µs": cold, f"{what}, warm, µs": median(warm)}


def main() -> None:
    """Make the bundle where it is missing, then measure in processes of their own and print the medians."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.opening", description=__doc__)
    parser.add_argument("--folder", type=Path, help="where document and bundle are kept for the next run")
    parser.add_argument("--grants", type=int, default=1_000_000)
    parser.add_argument("--subjects", type=int, default=100_000)
    parser.add_argument("--bundle", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bundle:
        print(json.dumps(measured(options.bundle, options.grants, options.subjects)))
        return
    with tempfile.TemporaryDirectory() as folder:
        _run(options.folder or Path(folder), options.grants, options.subjects)


def _run(folder: Path, grants: int, subjects: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    document = folder / f"grants-{grants}-{subjects}.json"
    bundle = document.with_suffix(".bundle")
    if not bundle.exists():
        write_document(document, grants, subjects)
        compile_document(document, bundle)
    command = [sys.executable, "-m", "tests.bench.opening", "--bundle", str(bundle)]
    command += ["--grants", str(grants), "--subjects", str(subjects)]
    runs = [json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout) for _ in range(PROCESSES)]
    print(f"{'':30} {'median':>9} {'worst':>9}   of {PROCESSES} processes")
    for name in runs[0]:
        found = [run[name] for run in runs]
        print(f"{name:30} {median(found):9.2f} {max(found):9.2f}")


if __name__ == "__main__":
    main()
