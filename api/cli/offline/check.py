"""`writ check`: checks model documents."""

import sys
from pathlib import Path

import click

from ....bundles.system_errors import os_sentence
from ...engines.live.build import CheckedSources, NoSources, check_sources, sources_of
from ..output import CommandFailed, progress_bar
from ..reports.finding_formats import FORMATS, show_findings
from ..sentences import summary
from ..source_paths import SourcePath
from .standard_input import FORMS, STANDARD_INPUT, source_from_input


@click.command("check")
@click.argument("sources", nargs=-1, required=True, type=SourcePath(allow_dash=True))
@click.option("--strict", is_flag=True, help="Fail for warnings too.")
@click.option("--format", "style", type=click.Choice(FORMATS), default="text", help="The format of the findings.")
@click.option("--as", "form", type=click.Choice(FORMS), help="The form of the document on standard input (`-`).")
def check_command(sources: tuple[Path, ...], strict: bool, style: str, form: str | None) -> None:
    """Check model documents. All files and folders (.writ, .json, .yaml) together are one model; `-` is standard input.

    Exit code 0 without errors (warnings may remain, unless --strict), 1 with errors, 2 where a source can't be checked.

    Build services read the formats sarif (code scanning), github (annotations of a workflow) and junit (test reports).

    \b
    Examples:
      writ check model.yaml
      writ check policies/ people.json --strict
      writ check --format json model.yaml | jq '.[].message'
      writ check --format sarif policies/ > findings.sarif
      writ check - --as yaml < model.yaml
    """
    checked, files = _checked(sources, form)
    if style != "text":
        click.echo(show_findings(checked.diagnostics, files, style, strict), nl=False)
    else:
        click.echo(checked.shown, nl=False)
        click.echo(summary(checked.diagnostics) or "no findings", err=True)
    sys.exit(1 if checked.model is None or (strict and checked.diagnostics) else 0)


def _checked(paths: tuple[Path, ...], form: str | None) -> tuple[CheckedSources, list[str]]:
    """Returns the checked sources and their names. Raises UsageError, CommandFailed."""
    inputs = sum(str(path) == STANDARD_INPUT for path in paths)
    if inputs > 1:
        raise click.UsageError(f"standard input (`{STANDARD_INPUT}`) can be read only once")
    if form is not None and not inputs:
        raise click.UsageError(f"`--as` is for the document on standard input: name the source `{STANDARD_INPUT}`")
    try:
        sources = sources_of([path for path in paths if str(path) != STANDARD_INPUT])
        if inputs:
            sources.append(source_from_input(form))
        with progress_bar() as progress:
            return check_sources(sources, progress), [source.name for source in sources]
    except NoSources as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
