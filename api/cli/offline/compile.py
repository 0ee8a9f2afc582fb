"""`writ compile`: compiles model documents into a bundle file."""

import sys
from pathlib import Path

import click

from ....bundles.manifest import Profile
from ...serving.build import InvalidModel, NoSources, build_bundle
from ..output import CommandFailed, error_console, os_sentence, progress_bar, summary


@click.command("compile")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The bundle file.")
@click.option(
    "--profile",
    type=click.Choice(["full", "decision"]),
    default="full",
    show_default=True,
    help="`decision` leaves out the data that only filters and searches need.",
)
def compile_command(sources: tuple[Path, ...], output: Path, profile: Profile) -> None:
    """Compile model documents into a bundle. All files and folders (.json, .yaml) together are one model.

    The same model gives the same bytes, in any input order. Exit code 0 if the bundle is written, 1 if the model has
    errors (then the output stays as it was), 2 if a file can't be read or written.

    \b
    Examples:
      writ compile model.yaml -o model.bundle
      writ compile policies/ people.json -o prod.bundle
      writ compile policies/ people.json --profile decision -o edge.bundle
    """
    console = error_console()
    try:
        with progress_bar() as progress:
            built = build_bundle(sources, output, progress, profile)
    except InvalidModel as ex:
        click.echo(ex.checked.shown, nl=False, err=True)
        console.print(summary(ex.checked.diagnostics))
        sys.exit(1)
    except NoSources as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    click.echo(built.shown, nl=False, err=True)
    console.print(
        f"{output}: {output.stat().st_size:,} bytes" + (f", {summary(built.diagnostics)}" if built.shown else "")
    )
