"""What newcomers stumble over: for each text in `stumbles.txt`, what is underlined, what is said, and the help.

`--update-golden` writes what is said now. Read it as a newcomer before you commit it.
"""

import re
from pathlib import Path

import pytest
from writ.compiler.checks import instants as instants_check
from writ.compiler.checks import references, routes
from writ.compiler.checks.conditions import constants
from writ.compiler.language.text_wording import HELP
from writ.compiler.model import parse_window

from tests.support.diagnosing import underlined
from tests.support.writ_texts import load_writ

FILE = Path(__file__).parent / "stumbles.txt"
DECLARED = "type doc\n    actions read, update\nrole editor\nrole viewer\ngroup eng\n"
SAYS = "---\n"


def stumbles() -> dict[str, tuple[str, str]]:
    """The texts, by their names, each with what is said about it."""
    parts = re.split(r"^=== (.*)\n", FILE.read_text(), flags=re.MULTILINE)[1:]
    return {name: tuple(text.split(SAYS)) for name, text in zip(parts[::2], parts[1::2], strict=True)}


STUMBLES = stumbles()


def said(text: str) -> str:
    """What is said about a text that follows DECLARED, or that stands alone if it begins with white space or a mark."""
    whole = text if text[0] in " {[" else DECLARED + text
    lines = []
    for found in load_writ(whole).diagnostics:
        lines.append(f"{found.code} at {underlined(found, whole)}\n  {found.message}\n")
        lines += [f"  help: {found.help}\n"] if found.help else []
    return "".join(lines)


@pytest.mark.parametrize("name", STUMBLES)
def test_a_stumble_is_explained(name, request):
    text, expected = STUMBLES[name]
    found = said(text)
    if request.config.getoption("--update-golden"):
        old, new = (f"=== {name}\n{text}{SAYS}{one}" for one in (expected, found))
        FILE.write_text(FILE.read_text().replace(old, new))
        return
    assert found == expected


def test_there_are_many_stumbles():
    assert len(STUMBLES) >= 60


@pytest.mark.parametrize("name", STUMBLES)
def test_an_explanation_is_short(name):
    """A message lists six alternatives at most, and most explanations have help."""
    for line in STUMBLES[name][1].split("\n"):
        assert len(line) <= 180
        assert line.count("`, `") < 6 or "is no day" in line


def test_most_explanations_have_help():
    without = [name for name, (_, says) in STUMBLES.items() if "help: " not in says]
    assert len(without) <= len(STUMBLES) // 5, without


def test_several_errors_are_found_in_one_run():
    text = "polcy p\nrole a\nrole a\npolicy q\n    allow a\npolicy r\n    allow b to read doc\nrole c c\n"
    found = load_writ(text).diagnostics
    assert [(one.code, underlined(one, text)) for one in found] == [
        ("syntax", "polcy"),
        ("duplicate-id", "a"),
        ("syntax", "a"),
        ("syntax", "c"),
    ]


def test_a_fault_in_a_statement_hides_no_other_statement():
    text = "role a\npolicy p\n    allow a to read doc if x\npolicy q allow b to raed doc\ntype doc actions read\n"
    found = load_writ(text).diagnostics
    assert [(one.code, underlined(one, text)) for one in found] == [
        ("syntax", "if"),
        ("unknown-role", "b"),
        ("unknown-action", "raed"),
    ]


def test_what_a_faulty_statement_declares_is_not_unknown():
    text = "role a b\ntype doc actions read\npolicy p allow a to read doc when resource.x is 1\n"
    assert [underlined(one, text) for one in load_writ(text).diagnostics] == ["b"]


@pytest.mark.parametrize("help_text", HELP)
def test_help_that_is_said_in_other_words_is_help_of_a_check(help_text):
    sources = (
        Path(module.__file__).read_text() for module in (constants, references, routes, instants_check, parse_window)
    )
    known = "".join(re.sub(r'"\s*"', "", source) for source in sources)
    assert help_text in known


def test_the_same_mistake_twice_is_found_twice():
    text = "polcy p\npolcy q\ndeclare user level number\ndeclare user level number\n"
    assert [one.line for one in load_writ(text).diagnostics] == [1, 2, 3, 4]
