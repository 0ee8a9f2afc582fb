"""`writ import`: replaces the model of an environment in a store."""

import sys
from contextlib import suppress
from pathlib import Path

import click

from ....bundles.system_errors import os_sentence
from ...engines.live.build import InvalidModel, NoSources, sources_of
from ...engines.live.data_directory import UnusableDirectory
from ...engines.live.import_model import check_model, ensure_bundle, store_model
from ...identity.admin_key import UnusableKey
from ...settings.settings import BadSetting
from ...store.actor import command_actor
from ...store.errors import Conflict, NotFound, Rejected, StoreUnavailable
from ..output import CommandFailed, error_console, progress_bar
from ..sentences import summary
from ..source_paths import SourcePath
from .store_opening import data_option, env_option, open_or_create_store


@click.command("import")
@click.argument("sources", nargs=-1, required=True, type=SourcePath())
@data_option
@env_option
@click.option("--create", is_flag=True, help="Make the environment first, if it does not exist.")
def import_command(sources: tuple[Path, ...], directory: Path, environment: str, create: bool) -> None:
    """Replace the stored model. All files and folders (.writ, .json, .yaml) together are one model.

    Unchanged elements stay untouched. When the command ends, a running service decides by the new model. If the
    directory has no store, Writ makes one, with an administrator's key. Exit code 0 if the model is stored, 1 if it has
    errors (then nothing changes), 2 if a file can't be read or written.

    \b
    Examples:
      writ import model.yaml
      writ import policies/ people.json --data /var/lib/writ --env staging --create
    """
    try:
        with progress_bar() as progress:
            checked, submitted = check_model(sources_of(sources), progress)
        store = open_or_create_store(directory)
        if create:
            with suppress(Conflict):
                store.create_environment(command_actor(), environment)
        with progress_bar() as progress:
            known = store_model(store, environment, submitted, progress)
            del submitted  # the bundle needs the memory
            ensure_bundle(directory, store, environment, progress, known)
    except InvalidModel as ex:
        click.echo(ex.checked.shown, nl=False, err=True)
        error_console().print(summary(ex.checked.diagnostics))
        sys.exit(1)
    except NotFound as ex:
        raise CommandFailed(f"{ex}; make it with `--create`") from None
    except (BadSetting, Conflict, NoSources, Rejected, StoreUnavailable, UnusableDirectory, UnusableKey) as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    click.echo(checked.shown, nl=False, err=True)
    error_console().print(f"{environment}: revision {store.revision_of(environment)}", markup=False)
