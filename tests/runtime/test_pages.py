"""What the pages of the runtime show is what happens: each example runs as a program of its own."""

import re
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest

from tests.support.command import writ

ROOT = Path(__file__).parents[2]
PAGES = ("runtime/README.md", "runtime/translate/README.md")
BLOCK = re.compile(
    r"^(?P<indent> *)(?:<!-- (?P<mark>[^\n]*?) -->\n(?P=indent))?```(?P<language>\w+)\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)


def blocks(page):
    """The examples of a page as (mark, language, text), in order."""
    found = BLOCK.finditer((ROOT / page).read_text())
    return [(one["mark"] or "", one["language"], dedent(one["text"])) for one in found]


@pytest.mark.parametrize("page", PAGES)
def test_its_examples_print_what_it_says(page, tmp_path, monkeypatch, capsys):
    printed = ""
    for mark, language, text in blocks(page):
        if mark.startswith("file: "):
            (tmp_path / mark.removeprefix("file: ")).write_text(text)
        elif language == "sh":
            assert writ(*text.split()[1:], cwd=tmp_path).returncode == 0
        elif language == "python":
            with monkeypatch.context() as patch:
                patch.chdir(tmp_path)
                exec(compile(text, page, "exec"), {"__name__": "__main__"})
            printed = capsys.readouterr().out
        else:
            assert (mark, printed) == ("output", text)


@pytest.mark.parametrize("page", PAGES)
def test_its_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text()):
        assert ((ROOT / page).parent / link).exists(), link


def test_its_calls_are_there():
    page = (ROOT / "runtime/translate/README.md").read_text()
    for module, name in re.findall(r"`(\w+)\.(predicate|where|expression|q|query|mask)\(", page):
        assert callable(getattr(import_module(f"writ.runtime.translate.{module}"), name))
