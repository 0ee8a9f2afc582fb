"""The command `writ`."""

import os
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Final, NamedTuple

import click


class Command(NamedTuple):
    """A row of the table of commands: the module that defines `<name>_command`, and one line of help."""

    module: str
    help: str


COMMANDS: Final = {
    "audit": Command(".stores.audit", "Show what was done and by whom, or verify that the log of it is whole."),
    "backup": Command(".stores.backup", "Copy a store while a service runs on it."),
    "check": Command(".offline.check", "Check model documents without compiling them."),
    "clients": Command(".stores.clients", "List, make, renew, revoke and delete OAuth clients."),
    "compile": Command(".offline.compile", "Compile model documents to a bundle file."),
    "decide": Command(".offline.decide", "Answer evaluation requests from a bundle, as JSON lines."),
    "export": Command(".stores.export", "Write a stored model as a JSON document."),
    "filter": Command(".offline.filter", "Answer resource searches by filters from a bundle, as JSON lines."),
    "import": Command(".stores.import_", "Replace a stored model by model documents."),
    "inspect": Command(".offline.inspect", "Show what is in a bundle file, and whether it is intact."),
    "keys": Command(".stores.keys", "Show the keys that sign tokens, or replace the one that does."),
    "restore": Command(".stores.restore", "Make a data directory of a backup."),
    "serve": Command(".serve", "Start the decision service."),
}
"""Every command by its name. A module is loaded when its command is called."""

PUBLISHING = ("compile", "export")
"""What these write are files of the user's, whose umask says who may read them."""

_PRIVATE = 0o077


class Commands(click.Group):
    """Loads a command's module when it is needed, so that `writ check` does not wait for a web server's imports."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = import_module(COMMANDS[name].module, __package__)
        command = getattr(module, f"{name}_command")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("writ-pdp"), prog_name="writ")
@click.pass_context
def writ(context: click.Context) -> None:
    """Writ decides who may do what, and says why.

    \b
    Try it:
      writ serve --demo
      writ check model.yaml
      writ compile model.yaml -o model.bundle
      writ decide model.bundle < requests.jsonl
    """
    if context.invoked_subcommand not in PUBLISHING:
        # Here, and not where a file is made: no library, later line or child process can then make one that others
        # read or write, whatever the umask of who started this.
        before = os.umask(_PRIVATE)
        context.call_on_close(lambda: os.umask(before))


def main() -> None:
    """Run the command line; exit codes are 0 done, 1 the answer is no, 2 wrong usage or unreadable input."""
    try:
        writ.main(standalone_mode=False)
    except click.exceptions.Exit as ex:
        sys.exit(ex.exit_code)
    except click.Abort:
        click.echo("interrupted", err=True)
        sys.exit(130)
    except click.ClickException as ex:
        ex.show()
        sys.exit(2)
    except BrokenPipeError:  # the reader has gone: what is still buffered goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
