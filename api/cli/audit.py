"""`writ audit`: what was done, by whom, and whether the log of it is whole."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from api.bodies import ENCODER
from api.cli.output import Unreadable, error_console, os_sentence, progress_bar
from api.cli.stored import data_option, opened
from api.limits import BadSetting
from api.management.audit import AuditEntry, shown_entry, wanted_entries
from api.service_log import service_log
from api.startup import settings_from
from api.store.audit.check import Tampered, Verdict
from api.store.audit.entries import Wanted
from api.store.audit.events import Event
from api.store.audit.log import SEAL_SECONDS
from api.store.paging import MAX_PAGE
from api.store.refusals import BadQuery, StoreUnavailable
from api.store.store import Store
from api.tokens import AUDIT_KEY_VARIABLE
from api.tokens.key_folder import AUDIT_FOLDER, KeyFolder
from api.tokens.key_ring import KeyRing
from api.tokens.key_sealer import KeySealer
from api.tokens.key_sources import GivenKeys
from api.tokens.signing_keys import Key, UnusableSigningKey, read_key
from bundles.conditions.instants import SECOND, parse_instant

_SHOWN = 100


class Head(click.ParamType[tuple[int, bytes]]):
    """A head of the log as the service's log has it: `NUMBER:HASH`."""

    name = "number:hash"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, bytes]:
        if isinstance(value, tuple):
            return value
        number, _, digest = str(value).partition(":")
        try:
            return int(number), bytes.fromhex(digest)
        except ValueError:
            self.fail(f"`{value}` is no head as the service logs it, like `42:9f86d0…`", param, ctx)


@click.group("audit", invoke_without_command=True)
@data_option
@click.option("--client", "client_id", help="Only what this OAuth client did, or what was done to it.")
@click.option("--event", type=click.Choice([str(event) for event in Event]), metavar="NAME", help="Only such events.")
@click.option("--since", metavar="INSTANT", help="Only from this RFC 3339 instant on.")
@click.option("--until", metavar="INSTANT", help="Only before this RFC 3339 instant.")
@click.option("--limit", type=click.IntRange(min=1), default=_SHOWN, show_default=True, help="So many at most.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def audit_command(context: click.Context, /, directory: Path, limit: int, form: str, **asked: str | None) -> None:
    """Print the audit log, the newest entry first; as JSON an entry a line, as `GET /v1/audit` has it.

    Exit code 2 where something can't be read.

    \b
    Examples:
      writ audit --event token.issued --since 2026-11-01T00:00:00Z
      writ audit --data /var/lib/writ --limit 1000000 --format json > audit.jsonl
      writ audit verify
    """
    if context.invoked_subcommand is not None:
        return
    show = _text if form == "text" else _json
    try:
        wanted = wanted_entries({name: value for name, value in asked.items() if value is not None})
        for entry in _entries(opened(directory), wanted, limit):
            click.echo(show(entry))
    except (BadQuery, StoreUnavailable) as ex:
        raise Unreadable(str(ex)) from None


@audit_command.command("verify")
@data_option
@click.option(
    "--key", "keys", type=click.Path(path_type=Path), multiple=True, help="A public key (PEM) that sealed it."
)
@click.option("--head", "heads", type=Head(), multiple=True, help="A head that was written down elsewhere.")
def verify_command(directory: Path, keys: tuple[Path, ...], heads: tuple[tuple[int, bytes], ...]) -> None:
    """Check every entry, the chain through all of them, and every seal.

    Seals are proven by the keys in the data directory, those of WRIT_AUDIT_KEY, and those that are given. A service
    logs each head that it seals: whoever keeps that log elsewhere can tell even where the whole store was put back.
    Exit code 0 where the log is whole, 1 where it is not, or where entries should have been sealed by now; 2 where
    something can't be read.

    \b
    Examples:
      writ audit verify --data /var/lib/writ
      writ audit verify --key old-audit-key.pem --head 4711:9f86d081884c7d65…
    """
    try:
        sealer = _sealer(directory, keys)
        with progress_bar() as progress:
            verdict = opened(directory).audit.check(sealer, dict(heads), progress)
    except Tampered as ex:
        error_console().print(f"the audit log is not whole: {ex}", markup=False)
        sys.exit(1)
    except (BadSetting, StoreUnavailable, UnusableSigningKey) as ex:
        raise Unreadable(str(ex)) from None
    except OSError as ex:
        raise Unreadable(os_sentence(ex)) from None
    click.echo(_told(verdict))
    if _is_overdue(verdict):
        error_console().print("they should have been sealed by now; `writ serve` does when it starts", markup=False)
        sys.exit(1)


def _entries(store: Store, wanted: Wanted, limit: int) -> Iterator[AuditEntry]:
    cursor: str | None = None
    while limit:
        found, cursor = store.audit.page(wanted, None, min(limit, MAX_PAGE), cursor)
        yield from map(shown_entry, found)
        limit -= len(found)
        if cursor is None:
            return


def _text(entry: AuditEntry) -> str:
    about = [f"{name}={value}" for name in ("client_id", "environment", "address") if (value := getattr(entry, name))]
    details = msgspec.json.encode(entry.details).decode() if entry.details else ""
    return " ".join((entry.time, entry.event.ljust(21), entry.actor, *about, details)).rstrip()


def _json(entry: AuditEntry) -> str:
    return ENCODER.encode(entry).decode()


def _sealer(directory: Path, paths: tuple[Path, ...]) -> KeySealer:
    """Raises BadSetting, OSError, UnusableSigningKey."""
    given = settings_from(os.environ).audit_key
    source = KeyFolder(directory, AUDIT_FOLDER) if given is None else GivenKeys(given, AUDIT_KEY_VARIABLE)
    trusted: list[Key] = [read_key(path.read_bytes(), f"`{path}`") for path in paths]
    return KeySealer(KeyRing(source, service_log("error")), trusted)


def _told(verdict: Verdict) -> str:
    count = f"{verdict.entries:,} entr{'y' if verdict.entries == 1 else 'ies'}"
    lines = [f"The audit log is whole: {count}, from {verdict.first} to {verdict.last}"]
    if verdict.sealed_at is not None:
        lines.append(f"Sealed up to {verdict.sealed} at {verdict.sealed_at}")
    if verdict.unsealed_since is not None:
        lines.append(f"Not sealed yet: what came from {verdict.unsealed_since} on")
    return "\n".join((*lines, f"Its head is {verdict.last}:{verdict.head.hex()}"))


def _is_overdue(verdict: Verdict) -> bool:
    if verdict.unsealed_since is None:
        return False
    return time.time() - parse_instant(verdict.unsealed_since) / SECOND > 2 * SEAL_SECONDS
