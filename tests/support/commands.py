"""The commands of `writ` as click knows them, and as a table for a page."""

from collections.abc import Iterator

import click
from writ.api.cli.main import COMMANDS
from writ.api.cli.main import writ as root


def found(words: list[str]) -> tuple[str, click.Command]:
    """Returns the command that `words` begin with, and its full name, `audit verify`.

    Raises KeyError for a command that does not exist.
    """
    command: click.Command = root
    names: list[str] = []
    for word in words:
        if not isinstance(command, click.Group):
            break
        below = command.get_command(click.Context(command), word)
        if below is None:
            break
        names, command = [*names, word], below
    if not names:
        raise KeyError(" ".join(words[:1]))
    return " ".join(names), command


def options(command: click.Command) -> set[str]:
    """Returns the names of a command's options, `--data` and the like."""
    return {name for one in command.params if isinstance(one, click.Option) for name in one.opts} | {"--help", "-h"}


def show_commands() -> str:
    """Returns all commands with their arguments and options as a Markdown table."""
    rows = [
        f"| `writ {name}{_usage(command)}` | {_help(name, command)} |"
        for first in COMMANDS
        for name, command in _with_subcommands(first)
    ]
    return "\n".join(["| Command | What it does |", "|---|---|", *rows]) + "\n"


def _with_subcommands(name: str) -> Iterator[tuple[str, click.Command]]:
    full, command = found([name])
    yield full, command
    if isinstance(command, click.Group):
        for below in command.list_commands(click.Context(command)):
            yield found([name, below])


def _help(name: str, command: click.Command) -> str:
    if name in COMMANDS:
        return COMMANDS[name].help
    return (command.help or "").split("\n\n")[0].replace("\n", " ").strip()


def _usage(command: click.Command) -> str:
    return "".join(f" {_shown(one)}" for one in command.params).replace("|", "\\|")


def _shown(one: click.Parameter) -> str:
    if isinstance(one, click.Argument):
        text = (one.name or "").upper().removesuffix("S")
        return f"{text}…" if one.nargs == -1 else text
    assert isinstance(one, click.Option)
    if one.is_flag:
        text = one.opts[0]
    elif isinstance(one.type, click.Choice):
        text = f"{one.opts[0]} {'|'.join(one.type.choices)}"
    else:
        text = f"{one.opts[0]} {one.make_metavar(click.Context(click.Command('writ')))}"
    text = text.partition(" RANGE")[0]
    return (text if one.required else f"[{text}]") + ("…" if one.multiple else "")
