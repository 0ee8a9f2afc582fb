"""`writ environments`: lists and manages environments, of a store or of a service."""

from typing import Any, TypeVar

import click
import msgspec
from msgspec import UNSET

from ...endpoints.management.body_shapes import shaped
from ...endpoints.management.management_shapes import EnvironmentAnswer, EnvironmentPatch, NewEnvironment
from ...http.rejections import BodyRejected
from ..output import CommandFailed, escaped
from .environment_host import EnvironmentHost
from .environment_options import place_options
from .refusing import told_refusals

_Shape = TypeVar("_Shape", bound=msgspec.Struct)


def _settings(command: Any) -> Any:
    """Adds the options of an environment's settings."""
    for option in (
        click.option("--description", help="What the environment is for."),
        click.option("--approvals", type=click.IntRange(0, 1), help="Approvals that a promotion waits for."),
        click.option("--tests-must-pass/--tests-may-fail", default=None, help="Refuse promotions on which tests fail."),
        click.option("--promotion-only/--editable", default=None, help="Change policies by promotion only."),
        click.option("--protected/--unprotected", default=None, help="Prevent its deletion."),
    ):
        command = option(command)
    return command


@click.group("environments", invoke_without_command=True)
@place_options
def environments_command(place: EnvironmentHost) -> None:
    """Print the environments as JSON lines, or manage them with a subcommand.

    Exit code 1 if the change is refused, 2 if the environment does not exist, or the place can't be reached.

    \b
    Examples:
      writ environments --data /var/lib/writ
      writ environments create staging --description "Before production"
      writ environments change prod --promotion-only --approvals 1 --url https://writ.example
    """
    for one in place.environments():
        _show(one)


@environments_command.command("create")
@click.argument("name")
@_settings
@place_options
def create_command(place: EnvironmentHost, name: str, **settings: Any) -> None:
    """Make an environment. It has no model yet, so it denies every request."""
    given = {"id": name} | {option: one for option, one in settings.items() if one is not None}
    with told_refusals():
        _show(place.create(_shaped(given, NewEnvironment)))


@environments_command.command("change")
@click.argument("name")
@_settings
@place_options
def change_command(place: EnvironmentHost, name: str, **settings: Any) -> None:
    """Change the settings of an environment. Those that are not given stay as they are."""
    patch = EnvironmentPatch(**{option: UNSET if one is None else one for option, one in settings.items()})
    _shaped({option: one for option, one in settings.items() if one is not None}, EnvironmentPatch)
    with told_refusals():
        _show(place.change(name, patch))


@environments_command.command("delete")
@click.argument("name")
@place_options
def delete_command(place: EnvironmentHost, name: str) -> None:
    """Delete an environment with its model and its history."""
    with told_refusals():
        place.delete(name)


def _shaped(given: dict[str, Any], shape: type[_Shape]) -> _Shape:
    try:
        return shaped(given, shape, "bad-environment")
    except BodyRejected as ex:
        raise CommandFailed(str(ex)) from None


def _show(environment: EnvironmentAnswer) -> None:
    click.echo(escaped(msgspec.json.encode(environment).decode()))
