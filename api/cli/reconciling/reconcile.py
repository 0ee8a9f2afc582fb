"""`writ reconcile`: sets all grants on a resource, or on the resources of a type, as a list says."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import click
import msgspec

from ....bundles.errors import Error
from ....bundles.system_errors import os_sentence
from ....client.calling.errors import Refused
from ....client.management.wanted import Grant
from ....runtime import BadRequest
from ..output import CommandFailed, escaped, progress_bar
from ..service_options import calls_at, service_options
from ..source_paths import FilePath
from ..stores.store_opening import env_option
from .grant_rows import GrantList, read_grants
from .setting import BadRow, Outcome, set_grants

STANDARD_INPUT: Final = "-"

MOST_FAULTS: Final = 20
"""The lines with faults that are shown."""


@click.command("reconcile")
@click.argument("source", metavar="SOURCE", type=FilePath(allow_dash=True))
@service_options(required=True)
@env_option
@click.option("--resource-type", metavar="T", help="Set the grants on all resources of this type.")
@click.option("--resource", metavar="T:ID", help="Set the grants on this resource.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--allow-empty", is_flag=True, help="Take a list without grants, which removes all of them.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def reconcile_command(
    source: Path,
    url: str,
    token_file: Path | None,
    ca_file: Path | None,
    environment: str,
    resource_type: str | None,
    resource: str | None,
    dry_run: bool,
    allow_empty: bool,
    form: str,
) -> None:
    """Make the grants of a running service what SOURCE lists. `-` is standard input.

    SOURCE has one grant a line: a JSON object with `subject` or `group`, `resource`, `actions`, and perhaps `starts_at`
    and `expires_at`; or CSV with these columns. Write `user:alice` and `document:d1`, and in CSV `read update`.

    Grants that are missing are added, and all others on the resource, or on the resources of the type, are removed.
    Each resource is set in one transaction. If a line has a fault, nothing is sent.

    Exit code 0 if the grants are as SOURCE says, 1 if it has faults or the service refuses it, 2 if it can't be read or
    the service can't be reached.

    \b
    Examples:
      writ reconcile shares.csv --url https://writ.example --resource-type document --dry-run
      writ reconcile shares.jsonl --url https://writ.example --resource document:d1
    """
    only = _only(resource_type, resource)
    found = _read(source, only)
    if not found.rows and not allow_empty:
        raise CommandFailed(f"{source}: it lists no grants; to remove all of them, give --allow-empty")
    service, outcome = calls_at(url, token_file, ca_file, environment), Outcome()
    with _told_refusals(source, outcome, dry_run), progress_bar() as progress:
        set_grants(service, found.rows, only, dry_run, progress, outcome)
    if form == "json":
        click.echo(escaped(msgspec.json.encode(outcome).decode()))
        return
    for line in _lines(outcome, dry_run):
        click.echo(escaped(line))


def _only(type: str | None, resource: str | None) -> tuple[str, str | None]:
    """Returns the type and the id that the options name. Raises UsageError."""
    if (type is None) == (resource is None):
        raise click.UsageError("give either `--resource-type` or `--resource`")
    if resource is None:
        return type or "", None
    named, colon, id = resource.partition(":")
    if not (named and colon and id):
        raise click.UsageError("`--resource` is `TYPE:ID`, such as `document:d1`")
    return named, id


def _read(source: Path, only: tuple[str, str | None]) -> GrantList:
    """Returns the list. Ends the process with exit code 1 if it has faults, and raises CommandFailed."""
    try:
        with _opened(source) as lines:
            found = read_grants(lines, only)
    except UnicodeDecodeError:
        raise CommandFailed(f"{source}: it is not text in UTF-8") from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    except ValueError as ex:
        raise CommandFailed(f"{source}: {escaped(str(ex))}") from None
    for line, message in found.faults[:MOST_FAULTS]:
        click.echo(escaped(f"{source}:{line}: {message}"), err=True)
    if found.faults:
        count = len(found.faults)
        click.echo(f"{count} line{'s' if count > 1 else ''} with faults: nothing was sent", err=True)
        sys.exit(1)
    return found


@contextmanager
def _opened(source: Path) -> Iterator[IO[str]]:
    if str(source) == STANDARD_INPUT:
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="strict")  # type: ignore[union-attr]  # the real stream
        yield sys.stdin
        return
    with source.open(encoding="utf-8-sig", newline="") as file:
        yield file


@contextmanager
def _told_refusals(source: Path, outcome: Outcome, dry_run: bool) -> Iterator[None]:
    """Prints why the service refuses the list and how far the command came, and ends the process with exit code 1.

    Raises CommandFailed if the service can't be reached.
    """
    try:
        yield
    except (BadRow, BadRequest, Refused) as ex:
        place = f"{source}:{ex.line}: " if isinstance(ex, BadRow) else "Refused: "
        click.echo(escaped(f"{place}{ex}"), err=True)
        if not dry_run and (outcome.added or outcome.removed):
            click.echo(f"done before: {_counts(outcome)}; run the command again", err=True)
        sys.exit(1)
    except Error as ex:
        raise CommandFailed(escaped(str(ex))) from None


def _lines(outcome: Outcome, dry_run: bool) -> Iterator[str]:
    if dry_run:
        yield from (f"+ {_shown(one)}" for one in outcome.added)
        yield from (f"- {_shown(one)}" for one in outcome.removed)
    yield _counts(outcome)


def _counts(outcome: Outcome) -> str:
    return f"{len(outcome.added)} added, {len(outcome.removed)} removed, {outcome.unchanged} unchanged"


def _shown(grant: Grant) -> str:
    """Returns a grant as a line.

    >>> _shown({"group": "eng", "resource": {"type": "document", "id": "d1"}, "actions": ["read"]})
    'document:d1: read for group eng'
    """
    subject, resource = grant.get("subject"), grant["resource"]
    holder = f"group {grant['group']}" if subject is None else f"{subject['type']}:{subject['id']}"
    term = "".join(f" {word} {grant[name]}" for word, name in (("from", "starts_at"), ("until", "expires_at"))
                   if grant.get(name))  # fmt: skip
    return f"{resource['type']}:{resource['id']}: {', '.join(grant['actions'])} for {holder}{term}"
