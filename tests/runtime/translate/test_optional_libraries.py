"""Each optional library is loaded by the one module that is named after it."""

import subprocess
import sys

LIBRARIES = ("sqlalchemy", "django", "polars", "pandas", "numpy", "duckdb", "psycopg")


def test_optional_libraries_are_loaded_only_by_their_own_module():
    ours = ", ".join(f"writ.runtime.translate.{name}" for name in ("sql", "mongo", "elasticsearch", "python"))
    code = f"import sys, {ours}; print([name for name in {LIBRARIES!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
