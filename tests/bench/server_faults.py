"""Measures how long several servers write nothing, and decide nothing, under each fault.

`python -m tests.bench.server_faults` runs the tests of these faults, which keep their times, and prints one table. Its
arguments are for pytest, such as `-k clocks`.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from tests.support.server import ROOT
from tests.support.servers_together import LEASE

ROW = "{:<60} {:>8} {:>10}"


def rows(report: Path) -> Iterator[str]:
    """Yields a line for each test that has kept its times. `report` is pytest's, in JUnit's form."""
    for case in ElementTree.parse(report).iter("testcase"):
        kept = {one.get("name"): one.get("value", "") for one in case.iter("property")}
        if "fault" in kept:
            yield ROW.format(kept["fault"], kept["writes"], kept["decisions"])


def main() -> None:
    """Print the table. Exit with pytest's code."""
    files = map(str, sorted((ROOT / "tests" / "api" / "service").glob("test_servers_*.py")))
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        kept = ["-o", "junit_family=xunit1", f"--junitxml={report}"]  # pytest's other form keeps no times
        line = [sys.executable, "-m", "pytest", "-m", "service or network", *kept, *files]
        done = subprocess.run([*line, *sys.argv[1:]], cwd=ROOT)
        print(f"seconds without an answered write or decision at any server (lease {LEASE:g} s)")
        print("\n".join([ROW.format("fault", "writes", "decisions"), *rows(report)]))
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
