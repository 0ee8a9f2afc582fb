"""The command `writ` itself: help, version, usage errors; and that every command is documented."""

from importlib.metadata import version

import pytest
from writ.api.cli.main import COMMANDS
from writ.api.settings.settings import TABLE
from writ.api.store.database.schema import MIGRATIONS
from writ.bundles.file.header import VERSION

from tests.support.command import writ
from tests.support.commands import show_commands
from tests.support.pages import page

REFERENCE = page("api/REFERENCE.md")


def test_help_names_every_command():
    done = writ("--help")
    assert done.returncode == 0
    assert all(name in done.stdout.decode() for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help_with_examples_and_a_place_in_the_reference(name):
    shown = writ(name, "--help").stdout.decode()
    assert f"writ {name} " in shown.partition("Examples:")[2]
    assert f"`writ {name} " in REFERENCE.text


def test_the_settings_of_a_service_stand_beside_their_defaults():
    lines = writ("serve", "--help").stdout.decode().partition("their defaults:\n")[2].splitlines()
    shown = {name: default for name, _, default in (line.strip().partition("  ") for line in lines)}
    assert {name: default.strip() for name, default in shown.items()} == {
        row.variable: row.shown_default for row in TABLE.values()
    }


def test_the_reference_has_the_table_of_commands(request):
    """`--update-golden` writes it."""
    assert REFERENCE.is_generated("commands", show_commands(), request.config.getoption("--update-golden"))


def test_no_option_is_answered_with_its_opposite():
    assert b"'--unsigned'" not in writ("agent", "--signed").stderr
    assert b"'--unsigned'" in writ("agent", "--unsignd").stderr


def test_the_version():
    assert writ("--version").stdout.startswith(b"writ, version ")


@pytest.mark.parametrize("arguments", [["fly"], ["check", "--fly"], ["compile", "x.yaml"], []])
def test_wrong_usage_is_exit_code_2(arguments):
    done = writ(*arguments)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_the_version_tells_the_formats_too() -> None:
    said = writ("--version").stdout.decode().splitlines()
    assert said == [
        f"writ, version {version('writ-pdp')}",
        f"formats: store {len(MIGRATIONS)}, bundle {VERSION}",
    ]
