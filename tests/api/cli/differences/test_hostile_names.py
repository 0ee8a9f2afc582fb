"""Hostile names of everything: no output has a raw escape, a forged line, or Markdown outside of a block of code."""

import json
import re

import pytest

from tests.support.command import writ
from tests.support.hostile_names import HOSTILE_NAMES, UNSAFE, hostile_model, narrower

NO_MARKUP = re.compile(r"(?:\\.|[^\\`*_~<>&|\[\]])*")
"""Text of Markdown in which nothing is markup."""

LINES = re.compile(
    r"(?:gains|loses|each change below|not known:|not counted:|reasons of|\S*\.json →|"
    r"(?:policies|assignments|grants|resource_types|roles|groups): \d|[-+ ] |"
    r"staging \(revision 1\) →|digest |not possible: |↕ |)"
)
"""The beginnings of lines that Writ writes. A name with a line break would make another one."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile")
    model = hostile_model()
    (path / "old.json").write_text(json.dumps(model))
    (path / "new.json").write_text(json.dumps(narrower(model)))
    return path


def output(folder, *arguments):
    done = writ(*arguments, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    text = done.stdout.decode()
    assert not UNSAFE.search(text + done.stderr.decode())
    return text


def check_text(text):
    assert len(text.splitlines()) > len(HOSTILE_NAMES)
    assert text.splitlines() == text.split("\n")[:-1]
    for line in text.splitlines():
        assert LINES.match(line)[0] or not line, line


def check_markdown(text):
    heading, blank, *lines = text.splitlines()
    assert heading.startswith("#### ")
    assert NO_MARKUP.fullmatch(heading[5:])
    assert not blank
    assert all(line.startswith("    ") or not line for line in lines)
    check_text("\n".join(line[4:] for line in lines) + "\n")


def test_a_comparison_shows_names_as_data(folder):
    check_text(output(folder, "diff", "old.json", "new.json", "--people"))
    check_markdown(output(folder, "diff", "old.json", "new.json", "--people", "--format", "markdown"))
    found = json.loads(output(folder, "diff", "old.json", "new.json", "--people", "--format", "json"))
    assert {one["action"] for one in found["people"]["gains"]} == set(HOSTILE_NAMES)
    sarif = json.loads(output(folder, "diff", "old.json", "new.json", "--people", "--format", "sarif"))
    assert sarif["runs"][0]["results"]


def test_a_file_with_a_hostile_name_is_no_markup(folder):
    name = "<b>[x](y)`_*.json"
    (folder / name).write_text((folder / "old.json").read_text())
    check_markdown(output(folder, "diff", name, "new.json", "--people", "--format", "markdown"))


def test_types_that_are_no_words_are_quoted(folder):
    text = output(folder, "diff", "old.json", "new.json", "--people")
    assert ": `everyone else` `everyone else`" in text
    assert ': "`x` and user" "`x` and user"' in text
    assert "May `everyone else` `everyone else` do" in text


def test_previews_of_promotions_show_names_as_data(folder):
    for env, file in (("staging", "new.json"), ("prod", "old.json")):
        assert writ("import", file, "--data", "data", "--env", env, "--create", cwd=folder).returncode == 0
    preview = ("promote", "--from", "staging", "--to", "prod", "--dry-run", "--data", "data")
    check_text(output(folder, *preview))
    check_markdown(output(folder, *preview, "--format", "markdown"))
    assert json.loads(output(folder, *preview, "--format", "json"))["people"]["gains"]


@pytest.mark.parametrize("name", HOSTILE_NAMES[:7])
def test_what_would_allow_names_everything_as_data(folder, name):
    bundle = folder / "old.bundle"
    if not bundle.exists():
        assert writ("compile", "old.json", "-o", bundle, cwd=folder).returncode == 0
    asked = {"subject": {"type": name, "id": "zed"}, "action": {"name": name}, "resource": {"type": name, "id": name}}
    (folder / "asked.json").write_text(json.dumps(asked | {"options": {"explain": True}}))
    text = output(folder, "explain", bundle, "--input", "asked.json")
    assert "an administrator gives the subject the role" in text
    beginnings = ("May ", "Denied ", "Policy ", "Each of these", "  - ", "There may", "There is more")
    assert [line for line in text.splitlines() if line and not line.startswith(beginnings)] == []
