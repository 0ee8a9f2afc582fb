"""Checks of the store: that it is sound, its format, the head of its audit log, and the clock beside its times."""

import fcntl
import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from ....bundles.conditions.instants import parse_instant, seconds_not_before
from ...engines.live.data_directory import LOCK_FILE
from ...identity.keys.ring import KeyRing, KeySealer
from ...identity.keys.sources import audit_keys_at
from ...settings.model_limits import model_limits
from ...settings.settings import Settings
from ...settings.store_settings import StoreSettings
from ...store.audit.anchor import FILE as HEAD_FILE
from ...store.audit.anchor import Anchor
from ...store.audit.audit_log import LATE_SECONDS
from ...store.database.engine import open_database
from ...store.database.newest_format import STORE_FORMAT
from ...store.database.sqlite.log_damage import sentence_on_damage
from ...store.database.sqlite.opening import FILE
from ...store.errors import StoreUnavailable
from ...store.examination import Examined, errors_by_environment, examine
from ...store.leases.reaching import reached_to_look
from ...store.models.stored_errors import StoredErrors
from ...store.upgrades.plan import upgrade_plan
from .backup_check import HOUR, check_backup
from .finding import DoctorFinding, failure, ok, warning
from .format_check import check_format

_COMMANDS: Final = ("run `ch", "let ", "make ")
"""The beginnings of the remedies of missing rights and room, with which a message may end."""

_CORRECT: Final = "correct it: until then it decides as before, but its next change and each promotion are refused"

CLOCK_SECONDS: Final = 5.0
"""By how much the clock may be behind the newest entry of the audit log, or differ from that of a service."""


def check_store(directory: Path, settings: Settings, now: float) -> Iterator[DoctorFinding]:
    """Yields whether the store can be used by this version, and what its audit log says. `now` is in epoch seconds."""
    if settings.store.url is not None:
        yield from _check_server(directory, settings.store)
        return
    path = directory / FILE
    if not path.exists():
        yield failure(f"there is no store `{path}`", "start the service, or restore a backup with `writ restore`")
        return
    damage = None if _is_served(directory) else sentence_on_damage(path)
    if damage is not None:
        yield failure(*damage.split("; "))
        return  # to open the store would drop what the log still has
    quiet = logging.Logger("doctor", logging.CRITICAL + 1)
    sealer = KeySealer(KeyRing(audit_keys_at(directory, settings.audit_key), quiet))
    try:
        examined = examine(path, Anchor(directory / HEAD_FILE), sealer, model_limits(os.environ))
    except StoreUnavailable as ex:
        yield _unusable(ex)
        return
    yield from (_format(examined), _head(examined, now), _clock(examined, now))
    yield from _models(examined.errors)
    if settings.backup_hours:
        yield check_backup(directory, examined.created, settings.backup_hours, now)


def _is_served(directory: Path) -> bool:
    """Returns whether a service runs on the directory, which may write to the log meanwhile."""
    lock = directory / LOCK_FILE
    if not lock.exists():
        return False
    with lock.open("rb") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _unusable(error: StoreUnavailable) -> DoctorFinding:
    """Returns the finding about a store that can't be read."""
    said, _, remedy = str(error).rpartition("; ")
    if remedy.startswith(_COMMANDS):
        return failure(said, remedy)
    return failure(str(error), "if it is damaged or gone, restore a backup with `writ restore`")


def _check_server(directory: Path, named: StoreSettings) -> Iterator[DoctorFinding]:
    """Yields whether the database of a URL can be used, and whether a fail-over keeps what was acknowledged."""
    assert named.url is not None
    try:
        server = reached_to_look(named.url)
        plan = upgrade_plan(directory, server)
        if 0 < plan.format < STORE_FORMAT and not plan.is_shared:
            yield check_format(plan)
            return
        connections = open_database(directory, server, create=False).connections
        loss, exposed = connections.possible_loss(), connections.exposures()
        with connections.reading() as db:
            errors = errors_by_environment(db, model_limits(os.environ))
        connections.close()
    except StoreUnavailable as ex:
        yield failure(str(ex), "correct the URL or the database; `writ serve` fails until then")
        return
    yield check_format(plan)
    if loss is None:
        yield ok("each acknowledged change is on a synchronous replica, too")
    else:
        yield warning(loss, "make a replica synchronous if no acknowledged change may be lost")
    for exposure in exposed:
        said, _, remedy = exposure.rpartition("; ")
        yield warning(said, remedy)
    yield from _models(errors)


def _format(examined: Examined) -> DoctorFinding:
    size = f"{examined.bytes:,} bytes"
    if examined.format > STORE_FORMAT:
        return failure(
            f"the store has format {examined.format}, and this version of Writ reads up to {STORE_FORMAT}",
            "run the newer version of Writ, or restore a copy from before the upgrade",
        )
    if examined.format < STORE_FORMAT:
        return ok(f"the store is sound, {size}; the next start upgrades it from format {examined.format}")
    return ok(f"the store is sound, {size}, of format {examined.format}")


def _models(errors: Mapping[str, StoredErrors]) -> Iterator[DoctorFinding]:
    """Yields the errors that this Writ finds in what an earlier one has stored."""
    for environment, found in errors.items():
        for one in found.all:
            yield warning(f"the model of `{environment}` has an error: {one}", _CORRECT)


def _head(examined: Examined, now: float) -> DoctorFinding:
    if examined.waits:
        return ok("the store was restored, and the next start seals its audit log again; `writ audit verify` checks it")
    entries, _, since = examined.unsealed
    if examined.head is None and since is not None and now - since > LATE_SECONDS:
        return warning(
            f"unsealed entries of the audit log: {entries:,}, the oldest {(now - since) / HOUR:,.0f} hours old",
            "start the service, which seals them; if it runs, its log says why it can't",
        )
    if examined.head is None:
        return ok("the audit log goes on from its last seal")
    return failure(
        f"the audit log can't be trusted: {examined.head}",
        "run `writ audit verify`; if somebody copied the store here, use `writ restore` for that, else find out who did"
        " it",
    )


def _clock(examined: Examined, now: float) -> DoctorFinding:
    if examined.newest is not None:
        ahead = seconds_not_before(parse_instant(examined.newest)) - now
        if ahead > CLOCK_SECONDS:
            message = f"the clock is {ahead:.0f} s behind the newest entry of the audit log"
            return failure(message, "set the clock; until then, access may last too long")
    return ok("the clock is not behind the audit log")


def check_copies(directory: Path) -> Iterator[DoctorFinding]:
    """Yields a finding for each unfinished copy that a killed command left."""
    left = sorted(one.name for one in directory.glob("*unfinished"))
    if left:
        yield warning(f"a killed command left {', '.join(left)}", "delete these files if no command runs")
