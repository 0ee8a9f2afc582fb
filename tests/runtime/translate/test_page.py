"""What the page of the translations shows is what happens."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "runtime/translate/README.md").read_text()
LIBRARIES = ("sqlalchemy", "django", "polars", "pandas", "numpy", "duckdb", "psycopg")


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_its_code_runs(code):
    exec(compile(code, "README.md", "exec"), {})


def test_its_links_lead_somewhere():
    for link in re.findall(r"\]\(([^)]+)\)", PAGE):
        assert (ROOT / "runtime/translate" / link).exists(), link


def test_its_calls_are_there():
    for module, name in re.findall(r"`(\w+)\.(predicate|where|expression|q|query|mask)\(", PAGE):
        assert callable(getattr(import_module(f"writ.runtime.translate.{module}"), name))


def test_optional_libraries_are_loaded_only_by_their_own_module():
    ours = ", ".join(f"writ.runtime.translate.{name}" for name in ("sql", "mongo", "elasticsearch", "python"))
    code = f"import sys, {ours}; print([name for name in {LIBRARIES!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"
