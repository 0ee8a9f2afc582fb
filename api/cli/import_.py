"""`writ import`: replaces the model of an environment in a store."""

import sys
from pathlib import Path

import click

from api.build import NoSources, Refused, sources_of
from api.cli.output import Unreadable, error_console, os_sentence, progress_bar, summary
from api.cli.stored import data_option, env_option, opened
from api.import_model import ensure_bundle, import_model
from api.store.refusals import NotFound, StoreUnavailable


@click.command("import")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@data_option
@env_option
def import_command(sources: tuple[Path, ...], directory: Path, environment: str) -> None:
    """Replace the stored model by model documents: .json and .yaml files, or folders of them, read as one model.

    What is the same stays untouched. A service that runs on the store decides by the new model when the command
    ends. Exit code 0 when it is stored, 1 when the model has errors (nothing is changed), 2 where something can't be
    read or written.

    \b
    Examples:
      writ import model.yaml
      writ import policies/ people.json --data /var/lib/writ --env staging
    """
    try:
        store = opened(directory)
        with progress_bar() as progress:
            read = import_model(store, environment, sources_of(sources), progress)
            ensure_bundle(directory, store, environment, progress)
    except Refused as ex:
        click.echo(ex.read.shown, nl=False, err=True)
        error_console().print(summary(ex.read.diagnostics))
        sys.exit(1)
    except (NoSources, NotFound, StoreUnavailable) as ex:
        raise Unreadable(str(ex)) from None
    except OSError as ex:
        raise Unreadable(os_sentence(ex)) from None
    click.echo(read.shown, nl=False, err=True)
    error_console().print(f"{environment}: revision {store.revision_of(environment)}", markup=False)
