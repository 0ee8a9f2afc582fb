"""`writ push`: puts model documents to a running service."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path, PurePath
from typing import Final

import click
import msgspec

from ....bundles.system_errors import os_sentence
from ....bundles.zones import zone_names
from ....compiler.forms.form import body_of, document
from ....compiler.forms.json_form import JsonForm
from ....compiler.load import load
from ....compiler.model.elements import ElementKind, Model
from ....compiler.source import Source
from ...endpoints.management.management_shapes import EnvironmentAnswer, ModelChanges
from ...engines.live.build import NoSources, check_sources, sources_of
from ...review.people.people_lines import people_lines
from ...settings.model_limits import model_limits
from ...store.history.origin import POLICY_KINDS
from ...store.models.extent import FACTS, Extent
from ..model_elements import counts_of, differences, elements_of
from ..output import CommandFailed, escaped, progress_bar
from ..remote_service import RemoteService, ServiceRefused, environment_path
from ..sentences import summary
from ..service_options import service_at, service_options
from ..source_paths import SourcePath
from ..stores.store_opening import env_option
from .shown_answers import count_lines, element_lines

PIECE_BYTES: Final = 1024 * 1024
"""The bytes of a document that are sent at a time."""

_JSON: Final = "application/json"
_MEDIA: Final = {
    ".json": _JSON,
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".writ": "application/vnd.writ.policy",
}
"""The content types that a service takes, by the ending of a document's name."""

_QUERIES: Final = {
    Extent.MODEL: (),
    Extent.KEEP_FACTS: ("keep_facts=true",),
    Extent.POLICIES: ("policies_only=true",),
}
"""The parameter that asks the service for an extent."""

_REMEDIES: Final = {
    HTTPStatus.UNAUTHORIZED: "give a credential that is valid",
    HTTPStatus.FORBIDDEN: "give a credential with the scope `write` for this environment",
    HTTPStatus.NOT_FOUND: "make the environment with `writ environments create`",
    HTTPStatus.PRECONDITION_FAILED: "somebody changed the model: look at the change, and push again",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "raise `WRIT_MAX_MODEL_BYTES` of the service",
}
"""The remedy for a refusal, by its status."""

_FOR_NOW: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
"""The statuses of refusals that end by themselves."""


@click.command("push")
@click.argument("sources", nargs=-1, required=True, type=SourcePath())
@service_options(required=True)
@env_option
@click.option("--dry-run", is_flag=True, help="Only show how the service's model would change.")
@click.option("--policies-only", is_flag=True, help="Change only what a promotion covers: policies, but no facts.")
@click.option("--remove-facts", is_flag=True, help="Remove the grants and assignments that the documents lack.")
@click.option(
    "--if-revision", "revision", type=click.IntRange(0), metavar="N", help="Push only if this is the newest revision."
)
def push_command(
    sources: tuple[Path, ...],
    url: str,
    token_file: Path | None,
    ca_file: Path | None,
    environment: str,
    dry_run: bool,
    policies_only: bool,
    remove_facts: bool,
    revision: int | None,
) -> None:
    """Replace the model of a running service with model documents. All files and folders together are one model.

    Who gains and who loses by the change is told first. Grants and assignments that the documents lack stay, and are
    listed, unless --remove-facts is given. The documents
    are checked first, so a model with errors is never sent. The service replaces its model all or nothing. Exit code 0
    if the model is in force, 1 if it has errors or the service refuses it, 2 if a file can't be read or the service
    can't be reached.

    \b
    Examples:
      writ push policies/ --url https://writ.example --dry-run
      writ push policies/ people.json --url https://writ.example --env staging --token-file token
    """
    if policies_only and remove_facts:
        raise click.UsageError("--policies-only changes no facts: leave out --remove-facts")
    extent = Extent.POLICIES if policies_only else Extent.MODEL if remove_facts else Extent.KEEP_FACTS
    documents, model = _checked(sources)
    service = service_at(url, token_file, ca_file)
    with _told_refusals():
        changes = _put(service, environment, documents, model, extent, dry_run, revision)
        differing = [*_difference(service, environment, model, extent)] if dry_run else []
    head = [] if dry_run else [f"{environment}: revision {changes.revision}"]
    for line in (*head, *_gains_and_losses(changes), *differing, *_told(changes)):
        click.echo(escaped(line))


def _gains_and_losses(changes: ModelChanges) -> Iterator[str]:
    """Yields who gains and who loses, by the service's comparison."""
    if changes.people is not None and changes.changes:
        yield from people_lines(changes.people)


def _told(changes: ModelChanges) -> Iterator[str]:
    """Yields what changed, unless `_difference` told it, and what stays although the documents lack it."""
    if not changes.dry_run:
        yield from count_lines(msgspec.to_builtins(changes.changes))
    if changes.kept and changes.kept.counts:
        yield from (f"{kind}: {count} kept, which the documents lack" for kind, count in changes.kept.counts.items())
        yield from (f"= {one.text}" for one in changes.kept.elements)


def _checked(paths: tuple[Path, ...]) -> tuple[list[Source], Model]:
    """Returns the documents and their model. Ends the process with exit code 1 if the model has errors."""
    try:
        sources = sources_of(paths)
        with progress_bar() as progress:
            checked = check_sources(sources, progress)
    except NoSources as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    click.echo(checked.shown, nl=False, err=True)
    if checked.model is None:
        click.echo(summary(checked.diagnostics), err=True)
        sys.exit(1)
    return sources, checked.model


def _difference(service: RemoteService, env: str, model: Model, extent: Extent) -> Iterator[str]:
    """Yields how the service's model would change, element by element."""
    answer = service.answer("GET", f"{environment_path(env)}/model")
    found = load([Source("model.json", answer)], zone_names(), limits=model_limits(os.environ)).model
    if found is None:
        raise CommandFailed("the service's model has errors; its version and this command's may be too far apart")
    kinds = POLICY_KINDS if extent == Extent.POLICIES else tuple(ElementKind)
    changed = differences(elements_of(found, kinds), elements_of(model, kinds))
    kept = FACTS if extent == Extent.KEEP_FACTS else ()
    elements = tuple(one for one in changed if not (one.change == "removed" and one.kind in kept))
    yield from count_lines(counts_of(elements))
    yield from element_lines(elements)


def _put(
    service: RemoteService,
    env: str,
    documents: Sequence[Source],
    model: Model,
    extent: Extent,
    dry_run: bool,
    revision: int | None,
) -> ModelChanges:
    """Sends the model. With `dry_run`, the service only says what would change, or why it would refuse."""
    path = environment_path(env)
    headers = {}
    if revision is not None:
        now = service.call("GET", path, EnvironmentAnswer)
        headers["If-Match"] = f'"{now.uuid}.{now.epoch}.{revision}"'
    ending = PurePath(documents[0].name).suffix.lower()
    if len(documents) == 1 and ending in _MEDIA:
        headers |= {"Content-Type": _MEDIA[ending], "Content-Length": str(len(documents[0].data))}
        body = partial(_pieces, documents[0].data)
    else:
        headers["Content-Type"] = _JSON
        body = partial(_joined, model)
    asked = ["dry_run=true" if dry_run else "people=true", *_QUERIES[extent]]
    return service.send("PUT", f"{path}/model?{'&'.join(asked)}", body, headers, ModelChanges)


def _pieces(data: bytes) -> Iterator[bytes]:
    return (data[at : at + PIECE_BYTES] for at in range(0, len(data), PIECE_BYTES))


def _joined(model: Model) -> Iterator[bytes]:
    """Yields a model as one JSON document, some elements at a time."""
    lists = ((kind, map(body_of, getattr(model, kind))) for kind in ElementKind if getattr(model, kind))
    return document(JsonForm(), lists)


@contextmanager
def _told_refusals() -> Iterator[None]:
    """Prints why the service refuses what is in the block, with the remedy, and ends the process with exit code 1."""
    try:
        yield
    except ServiceRefused as ex:
        remedy = _remedy(ex)
        sentence = f"Refused: {ex}" + (f"; {remedy}" if remedy else "")
        for line in (sentence, *(f"  {one}" for one in ex.details)):
            click.echo(escaped(line), err=True)
        sys.exit(1)


def _remedy(refused: ServiceRefused) -> str:
    """Returns what to do about a refusal, or "" if its own sentence says it."""
    if refused.status in _FOR_NOW:
        return f"push again in {refused.retry_after} seconds" if refused.retry_after else "push again later"
    return next((text for status, text in _REMEDIES.items() if status == refused.status), "")
