"""`writ drift`: shows what was edited in place in an environment, or how it differs from model files."""

import sys
from pathlib import Path
from typing import Final

import click

from ....bundles.system_errors import os_sentence
from ...engines.live.build import NoSources, check_files
from ...store.history.origin import POLICY_KINDS
from ..model_elements import Elements, differences, elements_of
from ..output import CommandFailed, error_console
from ..sentences import summary
from ..source_paths import SourcePath
from ..stores.store_opening import env_option
from .environment_host import EnvironmentHost
from .environment_options import place_options
from .refusing import told_refusals
from .shown_answers import FORMATS, drift_lines, element_lines, heading, show

_LEGEND: Final = "lines with - are those of the documents, lines with + those of the environment"


@click.command("drift")
@click.argument("sources", nargs=-1, type=SourcePath())
@env_option
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@place_options
def drift_command(place: EnvironmentHost, sources: tuple[Path, ...], environment: str, form: str) -> None:
    """Show what was edited in place since the last promotion, by whom and when.

    With model files (.writ, .json, .yaml, or folders), show instead how the environment's policy model
    differs from theirs. Exit code 0 without drift, 1 with drift, 2 if a file or the place can't be
    read.

    \b
    Examples:
      writ drift --env prod
      writ drift policies/ --env prod --url https://writ.example --format json
    """
    with told_refusals():
        if sources:
            wanted = _documents(sources)
            found = tuple(differences(wanted, place.policy_elements(environment)))
            shown = [{"kind": one.kind, "id": one.id, "change": one.change} for one in found]
            drifted, lines = bool(found), [_LEGEND, *element_lines(found)] if found else []
            answer: object = {"drifted": drifted, "changes": shown}
        else:
            drift = place.drift(environment)
            drifted, lines, answer = drift.drifted, [*drift_lines(drift)], drift
    if drifted:
        lines = [heading(f"{environment} has drifted", form), *lines]
    show(lines or [f"{environment} has not drifted"], form, answer)
    sys.exit(1 if drifted else 0)


def _documents(sources: tuple[Path, ...]) -> Elements:
    try:
        checked = check_files(sources)
    except NoSources as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    if checked.model is None:
        click.echo(checked.shown, nl=False, err=True)
        error_console().print(summary(checked.diagnostics))
        raise CommandFailed("the model files have errors")
    return elements_of(checked.model, POLICY_KINDS)
