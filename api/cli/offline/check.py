"""`writ check`: checks model documents."""

import sys
from pathlib import Path

import click

from ....compiler.diagnostics.show import show_json
from ...serving.build import NoSources, check_files
from ..output import CommandFailed, error_console, os_sentence, progress_bar
from ..sentences import summary


@click.command("check")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", help="The format of the findings."
)
def check_command(sources: tuple[Path, ...], style: str) -> None:
    """Check model documents. All files and folders (.writ, .json, .yaml) together are one model.

    Exit code 0 without errors (warnings may remain), 1 with errors, 2 where a source can't be checked.

    \b
    Examples:
      writ check model.yaml
      writ check policies/ people.json
      writ check --format json model.yaml | jq '.[].message'
    """
    try:
        with progress_bar() as progress:
            checked = check_files(sources, progress)
    except NoSources as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    if style == "json":
        click.echo(show_json(checked.diagnostics))
    else:
        click.echo(checked.shown, nl=False)
        error_console().print(summary(checked.diagnostics) or "no findings")
    sys.exit(1 if checked.model is None else 0)
