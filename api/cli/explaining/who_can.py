"""`writ who-can`: shows who can do an action, and under which conditions."""

import sys
import time
from pathlib import Path
from typing import Any

import click

from ....bundles.errors import BundleError
from ....runtime import BadRequest, Engine
from ...review.asking.slips import slip_in
from ...review.asking.who_can_answer import WhoCan, answered, nobody
from ...review.asking.who_can_lines import who_can_lines
from ...review.asking.who_can_request import read_who_can
from ...review.testing.undeclared import declared_by
from ...store.environment_ids import DEFAULT
from ..differences.sides import open_side
from ..environments.shown_answers import show
from ..offline.json_lines import Instant
from ..output import CommandFailed
from ..remote_service import RemoteService, ServiceRefused, environment_path
from ..service_options import refuse_without_url, service_at, service_options
from .who_can_body import who_can_body


@click.command("who-can")
@click.argument("model", required=False)
@click.option("--action", required=True, metavar="NAME", help="The action.")
@click.option("--resource", required=True, metavar="TYPE[:ID]", help="The resource, or any of the type.")
@click.option("--subject-type", metavar="TYPE", help="Only subjects of this type.")
@click.option(
    "--attribute",
    "attributes",
    multiple=True,
    metavar="KEY=JSON",
    help="An attribute of the resource that requests will send, such as `level=3` or `status=open`.",
)
@click.option(
    "--action-attribute", "action_attributes", multiple=True, metavar="KEY=JSON", help="An attribute of the action."
)
@click.option("--context", metavar="JSON|FILE", help="The context that requests will send, or a file with it.")
@click.option("--registered", is_flag=True, help="Take the registered attributes of the resource too.")
@click.option("--env", "environment", default=DEFAULT, show_default=True, help="The environment.")
@service_options(required=False)
@click.option("--now", type=Instant(), help="Take the assignments and grants of this instant instead of now.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def who_can_command(
    model: str | None,
    environment: str,
    url: str | None,
    token_file: Path | None,
    ca_file: Path | None,
    now: float | None,
    form: str,
    **asked: Any,
) -> None:
    """Show who can do an action, by name, and under which conditions.

    MODEL is model documents or a folder of them, a bundle, store:DIR#ENV for an environment of a data directory, or
    REVISION:PATH in git. In its place, --url asks a running service. What the question does not send is open, and comes
    back as conditions. A bundle does not have the registered attributes of subjects, so they are open too.

    Exit code 0 if Writ finds a subject that can, 1 if it finds none, 2 if the question or the model can't be read.

    \b
    Examples:
      writ who-can policies/ --action sign --resource contract
      writ who-can policies/ --action read --resource chart:c1 --attribute status=open --context '{"mfa": true}'
      writ who-can store:writ-data#staging --action read --resource chart:c1 --registered
      writ who-can --url https://writ.example --action sign --resource contract --format json
    """
    refuse_without_url(url, token_file, ca_file)
    if (model is None) == (url is None):
        raise click.UsageError("give one of a model and `--url`")
    if url is not None and now is not None:
        raise click.UsageError("`--now` does not go with `--url`: a service decides by its own clock")
    body = who_can_body(**asked)
    if url is not None:
        found = _served(service_at(url, token_file, ca_file), environment, body)
    else:
        assert model is not None
        found = _found(model, environment, body, time.time() if now is None else now)
    show(who_can_lines(body, found), form, found)
    sys.exit(0 if found.regions else 1)


def _served(service: RemoteService, environment: str, body: dict[str, Any]) -> WhoCan:
    """Returns the answer of a service. Raises CommandFailed if it refuses the question."""
    try:
        return service.call("POST", f"{environment_path(environment)}/who-can", WhoCan, body)
    except ServiceRefused as ex:
        raise CommandFailed(f"{ex} ({ex.status})") from None


def _found(model: str, environment: str, body: dict[str, Any], now: float) -> WhoCan:
    """Returns the answer by a model. Raises CommandFailed for a question or a model that can't be used."""
    try:
        question, registered = read_who_can(body, now)
    except BadRequest as ex:
        raise CommandFailed(str(ex)) from None
    opened = open_side(model, environment)
    if registered and opened.model is None:
        raise CommandFailed("`--registered` needs the documents of a model: a bundle does not have attributes")
    slip = slip_in(body, declared_by(opened.side.program, opened.model))
    if slip is not None:
        return nobody(question, slip)
    try:
        return answered(opened.side, Engine(opened.bundle), question, registered=registered)
    except BundleError as ex:
        raise CommandFailed(f"{opened.name}: {ex}") from None
