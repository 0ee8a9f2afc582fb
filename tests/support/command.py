"""Runs the real `writ` command, as a shell would."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.server import WITHOUT_PANDAS

WRIT = Path(sys.executable).parent / "writ"


def writ(*arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """The finished command; its output is bytes, and it is not a terminal's."""
    return subprocess.run(
        [WRIT, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        timeout=60,
        check=False,
        env=_environment(),
    )


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(WITHOUT_PANDAS)}
