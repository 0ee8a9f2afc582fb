"""The page of the translations names calls that are there, and each optional library is loaded by one module."""

import re
import subprocess
import sys
from importlib import import_module

from tests.support.pages import page

LIBRARIES = ("sqlalchemy", "django", "polars", "pandas", "numpy", "duckdb", "psycopg")


def test_its_calls_are_there():
    calls = re.findall(r"`(\w+)\.(predicate|where|expression|q|query|mask)\(", page("runtime/translate/README.md").text)
    assert len(calls) >= len(LIBRARIES)
    for module, name in calls:
        assert callable(getattr(import_module(f"writ.runtime.translate.{module}"), name))


def test_optional_libraries_are_loaded_only_by_their_own_module():
    ours = ", ".join(f"writ.runtime.translate.{name}" for name in ("sql", "mongo", "elasticsearch", "python"))
    code = f"import sys, {ours}; print([name for name in {LIBRARIES!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
