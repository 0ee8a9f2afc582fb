"""Heavy tests are left out unless they are asked for."""

import subprocess
import sys

from tests.conftest import HEAVY
from tests.support.structure import ROOT


def collected(*arguments):
    line = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "-p", "tests.conftest", *arguments]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True)


def test_heavy_tests_are_run_when_asked_for(tmp_path):
    """By default none is: that is pytest's exit code 5."""
    tests = "".join(f"@pytest.mark.{name}\ndef test_{name}(): pass\n" for name in HEAVY)
    (tmp_path / "test_marked.py").write_text(f"import pytest\n{tests}")
    assert collected(tmp_path / "test_marked.py").returncode == 5
    asked = collected(tmp_path / "test_marked.py", "-m", "heavy")
    assert f"{len(HEAVY)} passed" in asked.stdout, asked.stdout
