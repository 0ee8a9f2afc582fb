"""The page's table of the nineteen changes is what `writ diff --people` says of each."""

import json

import pytest

from tests.compiler.analysis.test_nineteen_changes import CHANGES
from tests.support.command import writ
from tests.support.hospital import hospital
from tests.support.pages import page

TESTING = page("api/TESTING.md")
NO_EFFECT = {3, 7, 8, 9, 10, 14, 19}
"""The numbers of the changes after which each subject may do what it could do before."""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """The lines of the command about people and renames, by change."""
    folder, found = tmp_path_factory.mktemp("changes"), {}
    (folder / "before.json").write_text(json.dumps(hospital()))
    for name, (change, *_) in CHANGES.items():
        model = hospital()
        change(model)
        (folder / "after.json").write_text(json.dumps(model))
        lines = writ("diff", "before.json", "after.json", "--people", cwd=folder).stdout.decode().splitlines()
        told = [line for line in lines if line.startswith(("gains", "loses", "not known", "no effect", "the role"))]
        found[name] = [line.partition(": nobody")[0] for line in told]
    return found


def test_the_table_is_what_the_command_says(said, request):
    """`--update-golden` writes it."""
    rows = [f"| {name.partition(' ')[2]} | {'<br>'.join(lines)} |" for name, lines in said.items()]
    table = "\n".join(["", "| Change | Writ says |", "|---|---|", *rows, ""])
    assert TESTING.is_generated("usual changes", table, request.config.getoption("--update-golden"))


def test_changes_without_effect_have_none(said):
    assert {int(name.split()[0]) for name, lines in said.items() if "no effect" in lines} == NO_EFFECT


def test_a_renamed_role_is_named(said):
    assert said["9 a role renamed"] == [
        "no effect",
        "the role `cleaner` is renamed to `janitor`, with all that refers to it",
    ]
