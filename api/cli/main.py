"""The command `writ`."""

import os
import sys
from importlib import import_module
from typing import Any, Final, NamedTuple

import click

from ...bundles.opposites import is_opposite
from ...bundles.system_errors import os_sentence
from ..settings.setting_readers import BadSetting
from .output import CommandFailed


class Command(NamedTuple):
    """A row of the table of commands: the module that defines `<name>_command` (`_` for `-`), and one line of help."""

    module: str
    help: str


COMMANDS: Final = {
    "admin-key": Command(".keys.admin_key", "Show which keys of the administrator count, or rotate the key."),
    "agent": Command(".agent", "Decide next to an application, from a bundle that is kept fresh."),
    "audit": Command(".stores.audit", "Print the audit log, or verify that it is unchanged."),
    "backup": Command(".stores.backup", "Copy a store, even while a service uses it."),
    "check": Command(".offline.check", "Check model documents without compiling them."),
    "clients": Command(".stores.clients", "List and manage OAuth clients."),
    "compile": Command(".offline.compile", "Compile model documents into a bundle file."),
    "convert": Command(".language.convert", "Write model documents in another form."),
    "copy-store": Command(".stores.copy_store", "Copy a store to another place, such as a database of PostgreSQL."),
    "decide": Command(".offline.decide", "Decide evaluation requests (JSON lines) from a bundle."),
    "diff": Command(".differences.diff", "Compare two models."),
    "doctor": Command(".doctor.doctor", "Check an installation, and say what to do."),
    "drift": Command(".environments.drift", "Show what was edited in place in an environment."),
    "environments": Command(".environments.environments", "List and manage environments."),
    "explain": Command(".explaining.explain", "Explain decisions in sentences."),
    "export": Command(".stores.export", "Write a stored model as a document, or as a bundle for OPA."),
    "filter": Command(".offline.filter", "Turn resource searches (JSON lines) into filters, from a bundle."),
    "fmt": Command(".language.fmt", "Format model documents in the `.writ` language."),
    "import": Command(".stores.import_", "Replace a stored model with model documents."),
    "inspect": Command(".offline.inspect", "Check a bundle file and show its contents."),
    "keys": Command(".keys.keys", "Print the keys that sign tokens or bundles, or rotate them."),
    "promote": Command(".environments.promote", "Take over the policies of one environment into another."),
    "publish": Command(".stores.publish", "Publish signed bundles to a folder or an object store."),
    "push": Command(".environments.push", "Put model documents to a running service."),
    "reconcile": Command(".reconciling.reconcile", "Make the grants of a running service what a list says."),
    "rename": Command(".language.rename", "Rename an element in all files of a model, with every reference."),
    "replay": Command(".replaying.replay", "Decide the requests of a decision log again, and show what changes."),
    "restore": Command(".stores.restore", "Restore a data directory from a backup."),
    "rollback": Command(".environments.rollback", "Go back to the policies of an earlier revision."),
    "routes": Command(".routing.routes", "Show which route matches a request, or propose routes."),
    "serve": Command(".serve", "Start the decision service."),
    "takeover": Command(".stores.takeover", "Take over from another machine with a copy of its store."),
    "test": Command(".testing.test", "Run policy tests."),
    "upgrade": Command(".stores.upgrade", "Bring a store to the format of this version."),
    "who-can": Command(".explaining.who_can", "Show who can do an action, and under which conditions."),
}
"""Every command by its name. A module is loaded when its command is called."""

PUBLISHING = ("compile", "convert", "export", "fmt", "publish", "rename", "routes", "test")
"""These commands write files for the user, so the user's umask applies to them."""

_PRIVATE = 0o077


class Commands(click.Group):
    """The commands. Each module is loaded only when its command runs, so that `writ check` starts fast."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except BadSetting as ex:
            raise click.ClickException(str(ex)) from None
        except BrokenPipeError:
            raise
        except OSError as ex:  # a command need not expect each of them
            raise CommandFailed(os_sentence(ex)) from None

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = import_module(COMMANDS[name].module, __package__)
        command = getattr(module, f"{name.replace('-', '_')}_command")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in COMMANDS.items()])


def _show_version(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    """Prints the version and the formats, and ends the command (a callback of click)."""
    if not asked or context.resilient_parsing:
        return
    from ..store.database.versions import FORMATS, program_version  # PERF: no other command needs them to start

    click.echo(f"writ, version {program_version()}")
    click.echo(f"formats: store {FORMATS.store}, bundle {FORMATS.bundle}")
    context.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version, and the formats of files that it reads.",
)
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
        # Set once for the whole process: then no library and no child process can make a file that others may read.
        before = os.umask(_PRIVATE)
        context.call_on_close(lambda: os.umask(before))


def _without_opposites(ex: click.NoSuchOption) -> click.NoSuchOption:
    """Returns the error without suggestions that turn the meaning round, such as `--unsigned` for `--signed`."""
    near = [one for one in ex.possibilities or () if not is_opposite(ex.option_name, one)]
    return click.NoSuchOption(ex.option_name, ex.message, near, ex.ctx)


def main() -> None:
    """Runs the command line. Exit codes: 0 done, 1 the answer is no, 2 wrong usage or a file that can't be used."""
    try:
        writ.main(standalone_mode=False)
    except click.exceptions.Exit as ex:
        sys.exit(ex.exit_code)
    except click.Abort:
        click.echo("interrupted", err=True)
        sys.exit(130)
    except click.ClickException as ex:
        if isinstance(ex, click.NoSuchOption):
            ex = _without_opposites(ex)
        ex.show()
        sys.exit(ex.exit_code if isinstance(ex, CommandFailed) else 2)
    except BrokenPipeError:  # the reader has gone: drop the buffered output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
