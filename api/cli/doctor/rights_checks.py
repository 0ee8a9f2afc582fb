"""Checks that the user of the service has its rights: on the data directory, other files of settings, and Python."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ....bundles.system_errors import Lack, lack_at, user_name
from ...engines.work.process_apart import python_lack
from ...settings.settings import DecisionLogSettings, Settings
from ...store.database.sqlite.opening import FILE
from ...telemetry.decision_log.log_start import STANDARD_OUTPUT
from .directory_checks import entries
from .finding import DoctorFinding, failure, ok, warning

_FOLDER: Final = "rwx"
_WRITTEN: Final = "rw"
_LOCKS: Final = ".lock"


def check_rights(directory: Path) -> Iterator[DoctorFinding]:
    """Yields a finding for each file or folder of the data directory that this user can't use as the service must.

    Root may use everything. Then a file that belongs to another user than the directory is a finding: the service of
    that user can't use it.
    """
    here = [path for path in entries(directory) if not path.is_symlink()]
    lacks = dict.fromkeys(filter(None, (lack_at(path, _rights(path)) for path in (directory, *here))))
    findings = [failure(lack.message, lack.remedy) for lack in lacks]
    findings += [_foreign(path, directory) for path in here if _is_foreign(path, directory)]
    yield from findings or [ok("this user can read and write it")]


def _rights(path: Path) -> str:
    if os.path.isdir(path):
        return _FOLDER
    return _WRITTEN if path.name.startswith(FILE) or path.suffix == _LOCKS else "r"


def _is_foreign(path: Path, directory: Path) -> bool:
    owner = directory.stat().st_uid
    return os.geteuid() == 0 and owner != 0 and path.lstat().st_uid != owner


def _foreign(path: Path, directory: Path) -> DoctorFinding:
    owner, other = user_name(directory.stat().st_uid), user_name(path.lstat().st_uid)
    return failure(f"`{path}` belongs to {other}, and the directory to {owner}", f"run `chown {owner} {path}`")


def check_settings(settings: Settings) -> Iterator[DoctorFinding]:
    """Yields a finding for each unknown variable, and for each file of a setting that this user can't use."""
    findings = [_unknown(sentence) for sentence in settings.warnings]
    findings += [failure(lack.message, lack.remedy) for lack in _lacks_of(settings.decision_log)]
    yield from findings or [ok("each `WRIT_` variable is a setting")]


def _unknown(sentence: str) -> DoctorFinding:
    said, _, near = sentence.partition("; ")
    return warning(said, f"{near} Correct its name, or unset it".strip() if near else "correct its name, or unset it")


def _lacks_of(log: DecisionLogSettings) -> Iterator[Lack]:
    """Yields the lacks of the decision log, of which each ends a start."""
    wanted = [(log.authorization_file, "r"), (log.ca_file, "r")]
    if log.target not in (None, STANDARD_OUTPUT) and "://" not in str(log.target):
        wanted.append((log.target, _WRITTEN))
    if log.masks is not None and not log.masks.lstrip().startswith("{"):
        wanted.append((log.masks, "r"))
    yield from filter(None, (lack_at(Path(place), rights) for place, rights in wanted if place is not None))


def check_python() -> Iterator[DoctorFinding]:
    """Yields whether this user can run the Python of this installation, with which the service starts processes."""
    lack = python_lack()
    if lack is None:
        yield ok("this user can run Python")
    else:
        yield failure(
            f"{lack.message}, so `{sys.executable}` can't be run", "install Writ with a Python that it can run"
        )
