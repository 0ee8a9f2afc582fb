"""`writ rename`: changes a name in all documents of a model, with every reference to it."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from ....bundles.publish import published
from ....bundles.system_errors import os_sentence
from ....bundles.wording import quoted
from ....compiler.diagnostics.show import show_text
from ....compiler.renaming.documents import RenameRefused, rename_in
from ....compiler.renaming.references import Renamable
from ....compiler.renaming.renamed import Rename
from ....compiler.source import Source
from ...engines.live.build import NoSources, check_sources, files_of
from ...review.wording.plain_values import counted
from ...settings.model_limits import model_limits
from ..output import CommandFailed, error_console, escaped
from ..sentences import summary
from ..source_paths import SourcePath

_NOTES: Final = {
    Renamable.ACTION: "requests ask for the new action from now on",
    Renamable.TYPE: "requests name a type by its `name`; if it has none, by the new id from now on",
    Renamable.GROUP: "attributes that name the group are data of your applications, and stay",
}
"""The effect of a new name on applications."""


@click.command("rename")
@click.argument("kind", type=click.Choice([one.value for one in Renamable]))
@click.argument("old")
@click.argument("new")
@click.argument("sources", nargs=-1, required=True, type=SourcePath())
@click.option("--dry-run", is_flag=True, help="Change nothing. Only show the lines.")
def rename_command(kind: str, old: str, new: str, sources: tuple[Path, ...], dry_run: bool) -> None:
    """Rename OLD to NEW in all files of a model (.writ, .json, .yaml, or folders), with every reference to it.

    Everything else stays as it is written, comments too. An action has the new name on all types. Exit code 1 if
    there is no OLD or there is a NEW already, or if the files have errors; then no file changes. 2 if a file can't be
    read or written.

    \b
    Examples:
      writ rename role nurse registered_nurse model/ --dry-run
      writ rename action read view policies/ people.yaml
    """
    rename = Rename(Renamable(kind), old, new)
    try:
        files = [*dict.fromkeys(files_of(sources))]
        found = [Source(str(file), file.read_bytes()) for file in files]
        changed, places = _renamed(found, rename)
        edited = [pair for pair in zip(found, changed, strict=True) if pair[0].data != pair[1].data]
        for line in _lines(edited):
            click.echo(escaped(line))
        if not dry_run:
            for _, after in edited:
                _replace(Path(after.name), after.data)
    except (NoSources, RenameRefused) as ex:
        click.echo(f"Refused: {escaped(str(ex))}", err=True)
        sys.exit(1)
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    verb = "would rename" if dry_run else "renamed"
    where = f"{counted(places, 'place')} in {counted(len(edited), 'file')}"
    told = f"{verb} the {kind} {quoted(old)} to {quoted(new)}: {where}"
    error_console().print(escaped(told), markup=False)
    if rename.what in _NOTES:
        error_console().print(_NOTES[rename.what], markup=False)


def _renamed(sources: Sequence[Source], rename: Rename) -> tuple[Sequence[Source], int]:
    """Returns the documents with the new name, and the number of places.

    Ends the process with exit code 1 if documents have errors. Raises RenameRefused.
    """
    found = rename_in(sources, rename, model_limits(os.environ))
    if found.diagnostics:
        for lines in show_text(found.diagnostics, sources):
            click.echo(lines, err=True)
        error_console().print(summary(found.diagnostics))
        sys.exit(1)
    if check_sources(sources).model is not None:
        after = check_sources(found.sources)
        if after.model is None:
            click.echo(after.shown, nl=False, err=True)
            raise RenameRefused(f"with the {rename.what} {quoted(rename.new)}, the model has errors")
    return found.sources, found.places


def _lines(edited: Sequence[tuple[Source, Source]]) -> Iterator[str]:
    """Yields the lines that change, each with its place. A new name adds no line."""
    for before, after in edited:
        pair = (one.data.decode("utf-8-sig").split("\n") for one in (before, after))
        for number, (old, new) in enumerate(zip(*pair, strict=True), 1):
            if old != new:
                yield f"{before.name}:{number}"
                yield f"- {old}".rstrip()
                yield f"+ {new}".rstrip()


def _replace(file: Path, data: bytes) -> None:
    mode = file.stat().st_mode & 0o7777
    with published(file) as written:
        written.write(data)
        os.fchmod(written.fileno(), mode)
