"""Check of the last backup: whether one is known, and how old it is."""

from pathlib import Path
from typing import Final

from ....bundles.conditions.instants import SECOND, parse_instant
from ...store.backups.last_backup import last_backup
from .finding import DoctorFinding, ok, warning

HOUR: Final = 3_600
"""Seconds."""

_REGULARLY: Final = "let `writ backup --every` run beside the service; with WRIT_BACKUP_HOURS=0, this is not checked"


def check_backup(directory: Path, created: str | None, most_hours: int, now: float) -> DoctorFinding:
    """Returns whether the last backup is younger than `most_hours`. A store that is younger needs none yet.

    `created` is the time of the store (RFC 3339), and `now` is in epoch seconds. Raises ValueError.
    """
    found = last_backup(directory, now)
    if found is None:
        age = None if created is None else now - parse_instant(created) / SECOND
        if age is not None and age < most_hours * HOUR:
            return ok("there is no backup yet, and the store is new")
        return warning("no backup of the store is known", _REGULARLY)
    hours = (now - found.seconds) / HOUR
    if hours > most_hours:
        return warning(f"the last backup is {hours:,.0f} hours old: `{found.file}`", _REGULARLY)
    return ok(f"the last backup is {max(0.0, hours):,.1f} hours old: `{found.file}`")
