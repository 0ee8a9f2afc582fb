"""The list of codes is what the code says and what the model reference says."""

import re
from pathlib import Path

from writ.compiler.diagnostics.codes import CODES, show_codes

from tests.support.pages import page

COMPILER = Path(__file__).parents[3] / "compiler"
MADE = re.compile(
    r'(?:Fault|Finding|Unreadable|BadDocument|BadWindow|Diagnostic)\(\s*"([a-z-]+)"|": "(duplicate-[a-z-]+)"'
)


def test_the_model_reference_has_the_table(request):
    """`--update-golden` writes it."""
    reference = page("compiler/MODEL.md")
    assert reference.is_generated("codes", show_codes(), request.config.getoption("--update-golden"))


def test_every_code_that_is_made_is_listed_and_none_else():
    made = {one or other for path in COMPILER.rglob("*.py") for one, other in MADE.findall(path.read_text())}
    assert made == {code.name for code in CODES}


def test_every_warning_has_a_section():
    told = re.findall(r"^### `([a-z-]+)`$", page("compiler/LINTS.md").text, re.MULTILINE)
    assert sorted(told) == [code.name for code in CODES if code.severity == "warning"]


def test_codes_are_in_order():
    names = [code.name for code in CODES]
    assert names == sorted(set(names))
