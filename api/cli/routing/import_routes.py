"""`writ routes import`: proposes routes, resource types and actions from an OpenAPI document."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from ....bundles.publish import published
from ....bundles.system_errors import os_sentence
from ....compiler.documents.bad_document import BadDocument
from ....compiler.documents.yaml.document import yaml_value
from ....compiler.limits import MIB, Limits
from ....compiler.source import BadText, Source
from ..output import CommandFailed, error_console, escaped
from ..source_paths import FilePath
from .openapi_routes import BadOpenApi, proposed

MAX_BYTES: Final = 32 * MIB
"""The bytes of an OpenAPI document."""


@click.command("import")
@click.argument("openapi", type=FilePath())
@click.option(
    "-o",
    "--output",
    type=FilePath(dir_okay=False),
    help="The file to write, `.json` or `.yaml`. The default is standard output, as YAML.",
)
def import_command(openapi: Path, output: Path | None) -> None:
    """Propose routes, resource types and actions from OPENAPI, an OpenAPI 3 document in JSON or YAML.

    The result is a model document. Read it, and change names that you do not like: it is a proposal. Paths that no
    route can match are told. Exit code 0 if there are routes, 1 if none could be proposed, 2 if a file can't be read or
    written.

    \b
    Examples:
      writ routes import openapi.yaml -o routes.yaml
      writ routes import openapi.json | less
    """
    try:
        proposal = proposed(_read(openapi))
    except BadOpenApi as ex:
        click.echo(escaped(f"{openapi}: {ex}"), err=True)
        sys.exit(1)
    for sentence in proposal.skipped:
        error_console().print(f"left out {sentence}", markup=False)
    as_json = output is not None and output.suffix == ".json"
    text = _json(proposal.document) if as_json else "".join(_yaml(proposal.document))
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        with published(output) as file:
            file.write(text.encode())
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None


def _read(path: Path) -> Any:
    """Returns the value of a document. JSON is read as JSON, else as YAML. Raises CommandFailed."""
    try:
        data = path.read_bytes()
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    if len(data) > MAX_BYTES:
        raise CommandFailed(f"{path}: the document has {len(data)} bytes, the limit is {MAX_BYTES}")
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return yaml_value(Source(str(path), data), Limits())
    except BadDocument as ex:
        raise CommandFailed(f"{path}: {ex.message}") from None
    except BadText as ex:
        raise CommandFailed(f"{path}: {ex}") from None


def _json(document: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _yaml(document: dict[str, Any]) -> Iterator[str]:
    """Yields the lines of a model document in YAML: an element on each line, in JSON, which YAML includes."""
    for name, value in document.items():
        if isinstance(value, list):
            yield f"{name}:\n"
            yield from (f"  - {msgspec.json.encode(one).decode()}\n" for one in value)
        else:
            yield f"{name}: {value}\n"
