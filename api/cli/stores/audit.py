"""`writ audit`: prints the audit log, or verifies it."""

import os
import re
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from ....bundles.conditions.instants import SECOND, parse_instant
from ....bundles.system_errors import os_sentence
from ...endpoints.management.audit_entries import AuditEntry, entry_filter, shown_entry
from ...http.bodies import ENCODER
from ...identity.keys.ring import KeyRing, KeySealer
from ...identity.keys.signing_keys import Key, UnusableSigningKey, read_key
from ...identity.keys.sources import NO_KEYS, audit_keys_at
from ...settings.settings import BadSetting, settings_from
from ...store.audit.audit_log import SEAL_SECONDS
from ...store.audit.entries import EntryFilter
from ...store.audit.log_check import VerifiedLog
from ...store.audit.tampering import Tampered, UnknownSealKey
from ...store.errors import BadQuery, StoreUnavailable
from ...store.pages import MAX_PAGE
from ...store.store import Store
from ...telemetry.log import service_log
from ..output import CommandFailed, error_console, escaped, progress_bar
from ..source_paths import FilePath
from .store_opening import all_items, data_option, open_store

_SHOWN = 100
_NOT_WHOLE = "the audit log is not intact"
_HEAD = re.compile(r"([1-9]\d{0,17}):([0-9a-fA-F]{64})", re.ASCII)
_UNPRINTABLE = re.compile(r"[^ -~\u00a1-\u1fff\u2c00-\ud7ff\uf900-\uffdc]")


class LogHead(click.ParamType[tuple[int, bytes]]):
    """An option that takes a head of the audit log, as the service logs it: `NUMBER:HASH`."""

    name = "number:hash"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, bytes]:
        if isinstance(value, tuple):
            return value
        found = _HEAD.fullmatch(str(value))
        if found is None:
            self.fail(
                f"`{value}` is not a head; write it as the service logs it, like `42:9f86d0…` with 64 digits",
                param,
                ctx,
            )
        return int(found[1]), bytes.fromhex(found[2])


@click.group("audit", invoke_without_command=True)
@data_option
@click.option("--client", "client_id", help="Only entries by or about this OAuth client.")
@click.option("--event", metavar="NAME", help="Only this event, like `token.issued`.")
@click.option("--actor", metavar="NAME", help="Only entries of this actor, like `admin-key` or `api-key:ID`.")
@click.option("--since", metavar="INSTANT", help="Only entries from this RFC 3339 instant on.")
@click.option("--until", metavar="INSTANT", help="Only entries before this RFC 3339 instant.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=_SHOWN, show_default=True, help="The most entries to print."
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def audit_command(context: click.Context, /, directory: Path, limit: int, form: str, **asked: str | None) -> None:
    """Print the audit log, newest entry first. With `--format json`, one entry per line, as in `GET /v1/audit`.

    Exit code 2 if a file can't be read.

    \b
    Examples:
      writ audit --event token.issued --since 2026-11-01T00:00:00Z
      writ audit --data /var/lib/writ --limit 1000000 --format json > audit.jsonl
      writ audit verify
    """
    if context.invoked_subcommand is not None:
        _refuse_filters(context)
        return
    show = _text if form == "text" else _json
    try:
        wanted = entry_filter({name: value for name, value in asked.items() if value is not None})
        entry = None
        for number, entry in enumerate(_entries(open_store(directory), wanted, limit + 1)):
            if number == limit:
                error_console().print("There are older entries. To see them, use a larger --limit.")
                break
            click.echo(show(entry))
    except (BadQuery, StoreUnavailable) as ex:
        raise CommandFailed(str(ex)) from None
    except BrokenPipeError:
        raise
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    if entry is None:
        error_console().print("There is no such entry.")


@audit_command.command("verify")
@data_option
@click.option(
    "--key", "keys", type=FilePath(), multiple=True, help="A public key (PEM) that sealed the log. Repeatable."
)
@click.option("--head", "heads", type=LogHead(), multiple=True, help="A head that you kept elsewhere. Repeatable.")
def verify_command(directory: Path, keys: tuple[Path, ...], heads: tuple[tuple[int, bytes], ...]) -> None:
    """Check every entry, the chain of entries, and every seal.

    Keys from --key or WRIT_AUDIT_KEY verify the seals. Without them, the keys in the data directory do. The service
    logs each head that it seals. If you keep that log on another system, --head also detects that somebody put back an
    old data directory.

    Exit code 0 if the log is intact. 1 if it is not, if it can't be verified, or if entries should be sealed by now.
    2 if a file can't be read.

    \b
    Examples:
      writ audit verify --data /var/lib/writ
      writ audit verify --key old-audit-key.pem --head 4711:9f86d081884c7d65…
    """
    try:
        noted = dict(heads)
        if len(noted) < len(set(heads)):
            raise click.UsageError("two different heads have the same number, so one of them was never sealed")
        sealer = _sealer(directory, keys)
        with progress_bar() as progress:
            verdict = open_store(directory).audit.check(sealer, noted, progress)
    except Tampered as ex:
        found = "the audit log can't be verified" if isinstance(ex, UnknownSealKey) else _NOT_WHOLE
        error_console().print(_printable(f"{found}: {ex}"), markup=False)
        sys.exit(1)
    except (BadSetting, StoreUnavailable, UnusableSigningKey) as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    click.echo(_verdict_text(verdict))
    doubts = list(_doubts(verdict))
    for doubt in doubts:
        error_console().print(doubt, markup=False)
    sys.exit(1 if doubts else 0)


def _refuse_filters(context: click.Context) -> None:
    given = [name for name in context.params if context.get_parameter_source(name) is not ParameterSource.DEFAULT]
    for name in given:
        if name != "directory":
            option = next(one for one in context.command.params if one.name == name)
            raise click.UsageError(f"`{option.opts[0]}` can't be used with `{context.invoked_subcommand}`")


def _entries(store: Store, wanted: EntryFilter, limit: int) -> Iterator[AuditEntry]:
    size = min(limit, MAX_PAGE)
    return islice(map(shown_entry, all_items(lambda cursor: store.audit.page(wanted, None, size, cursor))), limit)


def _text(entry: AuditEntry) -> str:
    about = [f"{name}={value}" for name in ("client_id", "environment", "address") if (value := getattr(entry, name))]
    details = msgspec.json.encode(entry.details).decode() if entry.details else ""
    return _printable(" ".join((entry.time, entry.event.ljust(21), entry.actor, *about, details)).rstrip())


def _json(entry: AuditEntry) -> str:
    return escaped(ENCODER.encode(entry).decode())


def _printable(text: str) -> str:
    """Returns foreign text, safe for one line of a terminal: control and direction characters are escaped."""
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


def _sealer(directory: Path, paths: tuple[Path, ...]) -> KeySealer:
    """Returns the keys that verify seals. Raises BadSetting, OSError, UnusableSigningKey."""
    given = settings_from(os.environ).audit_key
    trusted: list[Key] = [read_key(path.read_bytes(), f"`{path}`") for path in paths]
    if given is None and trusted:  # a key in the data directory may be a forger's
        return KeySealer(KeyRing(NO_KEYS, service_log("critical")), trusted)
    source = audit_keys_at(directory, given)
    try:
        source.pems()
    except UnusableSigningKey as ex:
        raise UnusableSigningKey(f"{ex}; or give the public half of the sealing key with --key") from None
    return KeySealer(KeyRing(source, service_log("error")), trusted)


def _verdict_text(verdict: VerifiedLog) -> str:
    count = f"{verdict.entries:,} entr{'y' if verdict.entries == 1 else 'ies'}"
    lines = [f"The audit log is intact: {count}, from {verdict.first} to {verdict.last}"]
    if verdict.sealed_at is not None:
        lines.append(f"Sealed up to {verdict.sealed} at {verdict.sealed_at} by the key {verdict.key}")
    if verdict.last > verdict.sealed:
        lines.append(f"Not sealed yet: the entries after {verdict.sealed}")
    return "\n".join((*lines, f"Its head is {verdict.last}:{verdict.head.hex()}"))


def _doubts(verdict: VerifiedLog) -> Iterator[str]:
    """Yields the reasons why an intact log proves little."""
    if verdict.unverifiable:
        yield f"the head {verdict.unverifiable[0]} can't be checked: entries up to {verdict.first - 1} are deleted"
    if verdict.sealed_at is None:
        yield "no entry is sealed, so anybody may have written the log; `writ serve` seals it soon after its start"
    elif verdict.last > verdict.sealed and time.time() - parse_instant(verdict.sealed_at) / SECOND > 2 * SEAL_SECONDS:
        yield "the other entries should be sealed by now; `writ serve` seals them when it starts"
