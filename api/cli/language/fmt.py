"""`writ fmt`: formats model documents in the `.writ` language."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click

from ....bundles.publish import published
from ....bundles.system_errors import os_sentence
from ....compiler.diagnostics.diagnostic import Diagnostic
from ....compiler.diagnostics.findings import Findings
from ....compiler.diagnostics.show import show_text
from ....compiler.documents.document import read_documents
from ....compiler.language.writing.format import formatted
from ....compiler.limits import DEFAULTS
from ....compiler.source import Source
from ...engines.live.build import NoSources, files_of, silent
from ..output import CommandFailed, error_console, escaped
from ..source_paths import SourcePath

_ENDING = ".writ"
_STDIN = Path("-")


@click.command("fmt")
@click.argument("sources", nargs=-1, required=True, type=SourcePath(allow_dash=True))
@click.option("--check", is_flag=True, help="Change nothing. Exit with 1 if a file is not formatted.")
def fmt_command(sources: tuple[Path, ...], check: bool) -> None:
    """Format .writ files, and those in folders, in place. Comments and the order of all things stay.

    With - as the only source, format standard input to standard output. Exit code 1 if a file can't be formatted
    because it has errors, or with --check, if one is not formatted; 2 if one can't be read or written.

    \b
    Examples:
      writ fmt policies/
      writ fmt --check policies/ people.writ
      writ fmt - < policies.writ
    """
    try:
        if sources == (_STDIN,):
            _standard_input(check)
            return
        files = [*_files(sources)]
        if any(file.suffix.lower() != _ENDING for file in files):
            raise CommandFailed(f"only `{_ENDING}` files can be formatted; `writ convert --as writ` writes one")
        changed, faulty = _format(files, check)
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    sys.exit(1 if faulty or (check and changed) else 0)


def _files(sources: Sequence[Path]) -> Iterator[Path]:
    """Yields the files to format. A folder may have none: its documents may be YAML."""
    for source in sources:
        with suppress(NoSources):
            yield from files_of((source,), (_ENDING,))


def _format(files: Sequence[Path], check: bool) -> tuple[int, int]:
    """Formats files, and tells which ones. Returns the numbers of the changed and of the faulty ones."""
    changed = faulty = 0
    for file in files:
        source = Source(str(file), file.read_bytes())
        text = _formatted(source)
        if text is None:
            faulty += 1
        elif text != source.data:
            changed += 1
            if not check:
                _replace(file, text)
            click.echo(f"{'would format' if check else 'formatted'} {escaped(str(file))}", err=True)
    verb = "need formatting" if check else "formatted"
    error_console().print(f"{changed} of {len(files)} files {verb}" + (f", {faulty} with errors" if faulty else ""))
    return changed, faulty


def _standard_input(check: bool) -> None:
    source = Source("standard-input.writ", sys.stdin.buffer.read())
    text = _formatted(source)
    if text is not None and not check:
        sys.stdout.buffer.write(text)
    sys.exit(1 if text is None or (check and text != source.data) else 0)


def _formatted(source: Source) -> bytes | None:
    """Returns the canonical form of a document, or None if it has errors, which it prints."""
    diagnostics = _faults(source)
    if diagnostics:
        for lines in show_text(diagnostics, [source]):
            click.echo(lines)
        return None
    return formatted(source.data.decode("utf-8-sig")).encode()


def _faults(source: Source) -> tuple[Diagnostic, ...]:
    """Returns what keeps a document from being read, and not what is wrong with the model."""
    findings = Findings(DEFAULTS.diagnostics)
    merged = read_documents([source], DEFAULTS, findings, silent)
    return findings.diagnostics(merged.documents)


def _replace(file: Path, text: bytes) -> None:
    mode = file.stat().st_mode & 0o7777
    with published(file) as written:
        written.write(text)
        os.fchmod(written.fileno(), mode)
