"""`writ export`: writes a stored model as a document, or as a bundle for OPA."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeAlias

import click

from ....bundles.conditions.instants import show_seconds
from ....bundles.publish import published
from ....bundles.system_errors import os_sentence
from ....compiler.forms.all_forms import FORMS
from ....compiler.rego.refusals import NotInRego
from ...store.actor import command_actor
from ...store.errors import NotFound, StoreUnavailable
from ...store.models.reading import export_entry
from ...store.store import Store
from ..output import CommandFailed, escaped
from ..source_paths import FilePath
from .opa_bundle import opa_files, write_archive
from .store_opening import data_option, env_option, open_store

Write: TypeAlias = Callable[[BinaryIO], None]


@click.command("export")
@data_option
@env_option
@click.option(
    "--as",
    "form",
    type=click.Choice([*FORMS, "rego"]),
    default="json",
    show_default=True,
    help="A model document, or a bundle for OPA.",
)
@click.option(
    "-o", "--output", type=FilePath(dir_okay=False), help="The file to write. The default is standard output."
)
def export_command(directory: Path, environment: str, form: str, output: Path | None) -> None:
    """Write the stored model as a document, with the ids that Writ made. Comments are not stored.

    The export is one consistent state of the store. A service may run meanwhile. Exit code 2 if a file can't be read
    or written.

    With --as rego, write a bundle for OPA, whose decisions equal Writ's: policies as Rego, the rest as data. If Rego
    can't say a policy exactly, each line says which and why. Then nothing is written, and the exit code is 1.

    \b
    Examples:
      writ export > model.json
      writ export --as writ -o model.writ
      writ export --data /var/lib/writ --env staging -o staging.json
      writ export --as rego -o bundle.tar.gz
    """
    if form == "rego" and output is None and sys.stdout.isatty():
        raise click.UsageError("a bundle is not text: name its file with -o")
    try:
        store = open_store(directory)
        write = _rego(store, environment) if form == "rego" else _document(store, environment, form)
        if output is None:
            write(sys.stdout.buffer)
            return
        with published(output) as file:
            write(file)
    except NotInRego as ex:
        for refusal in ex.refusals:
            click.echo(escaped(str(refusal)), err=True)
        sys.exit(1)
    except (NotFound, StoreUnavailable) as ex:
        raise CommandFailed(str(ex)) from None
    except BrokenPipeError:
        raise
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None


def _document(store: Store, environment: str, form: str) -> Write:
    """Returns what writes the model document. The audit log has the export."""
    text = store.model(environment, form=form)
    store.audit.add([text.exported(show_seconds(time.time()), command_actor())])
    return lambda file: file.writelines(text)


def _rego(store: Store, env: str) -> Write:
    """Returns what writes the bundle for OPA. The audit log has the export. Raises NotInRego."""
    environment, model = store.read_model(env)
    files = opa_files(environment, model)
    store.audit.add([export_entry(environment, environment.revision, show_seconds(time.time()), command_actor())])
    return lambda file: write_archive(files, file)
