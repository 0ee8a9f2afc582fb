"""`writ export`: writes a stored model as a JSON document."""

import sys
import time
from pathlib import Path

import click

from ....bundles.conditions.instants import show_seconds
from ....bundles.publish import published
from ...store.actor import COMMAND_LINE
from ...store.errors import NotFound, StoreUnavailable
from ..output import CommandFailed, os_sentence
from .opening import data_option, env_option, open_store


@click.command("export")
@data_option
@env_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write. The default is standard output.",
)
def export_command(directory: Path, environment: str, output: Path | None) -> None:
    """Write the stored model as a JSON document, with the ids that Writ made.

    The document is one consistent state of the store. A service may run meanwhile. Exit code 2 if a file can't be read
    or written.

    \b
    Examples:
      writ export > model.json
      writ export --data /var/lib/writ --env staging -o staging.json
    """
    try:
        store = open_store(directory)
        text = store.model(environment)
        store.audit.add([text.exported(show_seconds(time.time()), COMMAND_LINE)])
        if output is None:
            for piece in text:
                sys.stdout.buffer.write(piece)
            return
        with published(output) as file:
            for piece in text:
                file.write(piece)
    except (NotFound, StoreUnavailable) as ex:
        raise CommandFailed(str(ex)) from None
    except BrokenPipeError:
        raise
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
