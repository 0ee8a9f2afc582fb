"""What is advised for what authors of other languages, and of plain English, write first, as it is wanted.

In `advice.txt`, each line is written in a model, and the indented line below it is the help that is wanted. "nothing"
means that there is no fault. No flag rewrites the file: advice that gets worse shall fail a test.
"""

import re
from pathlib import Path

import pytest

from tests.support.writ_texts import load_writ

FILE = Path(__file__).parent / "advice.txt"
ROLES = ("editor", "viewer", "physician", "consultant", "teller", "advisor", "dpo", "senior")
DECLARED = "".join(
    (
        "extensions arrays, references, now\n",
        "type doc\n    actions read, update\n",
        *(f"role {role}\n" for role in ROLES),
        "group eng\n",
    )
)
STATEMENTS = (
    *("type", "role", "group", "assign", "grant", "declare", "subject", "policy", "silence", "requests", "extensions"),
    *("revoke", "define", "relation", "schema"),
)
NO_FAULTS = ("unused-extension", "unused-action", "unused-role", "allow-everyone", "idle-required")
"""What is said about a model of one policy in any case."""


def advice() -> dict[str, str]:
    """The wanted help, by what is written."""
    lines = [line for line in FILE.read_text().splitlines() if line and not line.startswith("#")]
    return {written: wanted.strip() for written, wanted in zip(lines[::2], lines[1::2], strict=True)}


ADVICE = advice()


def whole(written: str) -> str:
    """The model in which something is written: a statement, a policy's effect, or what follows an effect."""
    lines = written.replace(r" \n ", "\n    ")
    word = written.split()[0]
    if word in STATEMENTS:
        return f"{DECLARED}{lines}\n"
    effect = "" if word in ("allow", "deny") else "allow editor to read doc\n    "
    return f"{DECLARED}policy p\n    {effect}{lines}\n"


def said(written: str) -> str:
    """The help for the first fault, or its message if it has none."""
    found = [one for one in load_writ(whole(written)).diagnostics if one.code not in NO_FAULTS]
    return (found[0].help or f"({found[0].message})") if found else "nothing"


@pytest.mark.parametrize("written", ADVICE)
def test_the_wanted_help_is_given(written):
    assert said(written) == ADVICE[written]


def written_in(help_text: str) -> list[str]:
    """What a help says to write, as lines of a policy."""
    found = re.findall(r"`([^`]*)`", help_text)
    conditions = [f"when {one}" for one in found if re.match(r"(resource|subject|action|context)\.\S+ ", one)]
    clauses = [one for one in found if re.match(r"(on (mon|tue|sat)|from [\d:]|when resource)\S*", one)]
    excepted = [f"deny {one} to read doc" for one in found if one.startswith("everyone except ")]
    return conditions + clauses + excepted


@pytest.mark.parametrize("written", [one for one in ADVICE if written_in(ADVICE[one])])
def test_what_help_says_to_write_can_be_read(written):
    for line in written_in(ADVICE[written]):
        errors = [one for one in load_writ(whole(line)).diagnostics if one.severity == "error"]
        assert errors == []


DOCUMENT_WORDS = re.compile(r"\w+_attrs|value_of|\bnin\b|has_(any|none)|except_roles|_at\b|ip_allowlist|time_window")


@pytest.mark.parametrize("written", ADVICE)
def test_messages_about_texts_have_no_words_of_documents(written):
    for found in load_writ(whole(written)).diagnostics:
        assert not DOCUMENT_WORDS.search(found.message + found.help)
        assert "expected ," not in found.message


@pytest.mark.parametrize("written", ADVICE)
def test_help_fits_in_a_line(written):
    assert len(f"  help: {ADVICE[written]}") <= 180


@pytest.mark.parametrize(("held", "told"), [("groups", "right only"), ("roles", "after `allow`"), ("role", "a role")])
@pytest.mark.parametrize("declared", ["department string", "department string\ndeclare subject service key string"])
def test_what_a_subject_holds_is_no_attribute(held, told, declared):
    text = f"{DECLARED}declare subject user {declared}\npolicy p\n    allow teller to read doc\n"
    found = load_writ(f'{text}    when subject.{held} has "oslo"\n').diagnostics
    (unknown,) = [one for one in found if one.code == "unknown-attribute"]
    assert told in unknown.help


def test_a_declared_attribute_of_a_near_name_is_meant_first():
    text = f'{DECLARED}declare subject user "group" string\npolicy p\n    allow teller to read doc\n'
    found = load_writ(f'{text}    when subject.groups is "oslo"\n').diagnostics
    assert "did you mean `group`?" in [one.help for one in found]
