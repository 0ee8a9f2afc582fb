"""The licence is the one that the project names, word for word."""

import tomllib
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
APACHE_2 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
"""The SHA-256 of the Apache License 2.0 as its authors publish it."""


def test_the_licence_is_the_standard_text():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (project["license"], project["license-files"]) == ("Apache-2.0", ["LICENSE"])
    assert sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == APACHE_2
