"""`writ convert`: writes model documents in another form."""

import sys
from pathlib import Path

import click

from ....bundles.publish import published
from ....bundles.system_errors import os_sentence
from ....compiler.diagnostics.show import show_text
from ....compiler.forms.all_forms import FORMS
from ....compiler.forms.convert import NotInForm, convert
from ...engines.live.build import NoSources, sources_of
from ..output import CommandFailed, error_console, progress_bar
from ..overwriting import refuse_overwriting
from ..sentences import summary
from ..source_paths import FilePath, SourcePath


@click.command("convert")
@click.argument("sources", nargs=-1, required=True, type=SourcePath())
@click.option("--as", "form", required=True, type=click.Choice([*FORMS]), help="The form to write.")
@click.option(
    "-o", "--output", type=FilePath(dir_okay=False), help="The file to write. The default is standard output."
)
def convert_command(sources: tuple[Path, ...], form: str, output: Path | None) -> None:
    """Write model documents (.writ, .json, .yaml, or folders of them) as one document in another form.

    The elements stay as they are, in the order of the sources. They need not be a whole model: policies can be
    converted without the types and roles that they name. Comments are lost.

    Exit code 1 if the sources have errors, 2 if a file can't be read or written.

    \b
    Examples:
      writ convert model.yaml --as writ -o model.writ
      writ convert policies/ --as json | jq '.policies | length'
    """
    try:
        found = sources_of(sources)
        refuse_overwriting(output, (Path(source.name) for source in found))
        with progress_bar() as progress:
            converted = convert(found, form, progress)
        if converted.text is None:
            for lines in show_text(converted.diagnostics, found):
                click.echo(lines, err=True)
            error_console().print(summary(converted.diagnostics))
            sys.exit(1)
        if output is None:
            sys.stdout.buffer.write(converted.text)
            return
        with published(output) as file:
            file.write(converted.text)
    except (NoSources, NotInForm) as ex:
        raise CommandFailed(str(ex)) from None
    except BrokenPipeError:
        raise
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
