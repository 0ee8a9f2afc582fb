"""Checks of the data directory: its modes, its files, the administrator's key and the keys that sign."""

import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ....bundles.system_errors import lack_at, this_user, user_name
from ...engines.live.data_directory import LOCK_FILE
from ...identity.admin_access import supplied_by
from ...identity.admin_key import KEY_FILE, UnusableKey, stored_keys
from ...identity.keys.bundle_keys import BUNDLE_KEYS_GIVEN, bundle_keys_at
from ...identity.keys.folder import AUDIT_FOLDER, BUNDLE_FOLDER, FOLDER, strays
from ...identity.keys.signing_keys import UnusableSigningKey, read_keys
from ...identity.keys.sources import SIGNING_KEYS_GIVEN, KeySource, audit_keys_at, signing_keys_at
from ...settings.settings import Settings
from .finding import DoctorFinding, failure, ok, warning

MOST_ENTRIES: Final = 10_000
"""The largest number of files of a data directory that are looked at."""

_OTHERS: Final = 0o077
_OTHERS_WRITE: Final = 0o022
_OF_FILE_SYSTEM: Final = "lost+found"
"""A folder of the file system in the root of a volume, which is root's."""

_REPLACE: Final = "replace the store, its keys and its audit log"


def check_modes(directory: Path) -> Iterator[DoctorFinding]:
    """Yields a finding for each file or folder that another user can read, change or replace."""
    found = directory.stat()
    faults = list(_faults_of_directory(directory, found))
    open_to_others = bool(found.st_mode & _OTHERS)
    for entry in entries(directory):
        if entry.is_symlink():
            faults.append(warning(f"`{entry}` is a link, so its mode says nothing", "put the file itself there"))
        if not entry.exists():
            continue
        mode = entry.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            faults.append(failure(f"`{entry}` is neither a file nor a folder", "remove it"))
        elif open_to_others and mode & _OTHERS:
            right = "700" if stat.S_ISDIR(mode) else "600"
            faults.append(failure(f"other users can use `{entry}`", f"run `chmod {right} {entry}`"))
    yield from faults or [ok("only its owner can read it")]


def _faults_of_directory(directory: Path, found: os.stat_result) -> Iterator[DoctorFinding]:
    if found.st_mode & _OTHERS_WRITE:
        yield failure(f"other users can write to `{directory}`, and {_REPLACE}", f"run `chmod 700 {directory}`")
    elif found.st_mode & _OTHERS:
        yield warning(f"other users can look into `{directory}`", f"run `chmod 700 {directory}`")
    if found.st_uid != os.geteuid():
        owner, me = user_name(found.st_uid), this_user()
        remedy = f"run Writ and this command as {owner}, or run `chown -R {me} {directory}`"
        yield warning(f"`{directory}` belongs to {owner}, and this is {me}", remedy)


def entries(directory: Path) -> Iterator[Path]:
    """Yields the files and folders of a data directory, and those in its folders, `MOST_ENTRIES` at most.

    Raises OSError.
    """
    left = MOST_ENTRIES
    inner = (one for one in sorted(directory.iterdir()) if one.is_dir() and not one.is_symlink() and _is_listed(one))
    for folder in (directory, *inner):
        for entry in sorted(folder.iterdir()):
            if entry.name == _OF_FILE_SYSTEM:
                continue
            if left == 0:
                return
            left -= 1
            yield entry


def _is_listed(folder: Path) -> bool:
    """Returns whether this user may look into a folder. If not, `check_rights` says so."""
    return folder.name != _OF_FILE_SYSTEM and lack_at(folder, "rx") is None


def is_plain(directory: Path) -> bool:
    """Returns whether every entry is a file or a folder: to open anything else may wait for ever. Raises OSError."""
    return all(entry.is_file() or entry.is_dir() or not entry.exists() for entry in entries(directory))


def check_lock(directory: Path) -> Iterator[DoctorFinding]:
    """Yields whether a service runs on the directory now."""
    lock = directory / LOCK_FILE
    if not lock.exists():
        yield ok("no service has run on it yet")
        return
    with lock.open("rb") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            yield ok("a service runs on it")
        else:
            yield ok("no service runs on it")


def check_admin_key(directory: Path, settings: Settings, now: float) -> Iterator[DoctorFinding]:
    """Yields whether an administrator's key counts at `now` (epoch seconds), and whether the key itself is about."""
    try:
        stored = stored_keys(directory)
    except UnusableKey as ex:
        yield failure(str(ex), "remove the file, and start the service with a new key in WRIT_ADMIN_KEY")
        return
    try:
        supplied = supplied_by(settings.admin_key, settings.admin_key_file)
        keys = stored if supplied is None else supplied.read()
    except UnusableKey as ex:
        yield failure(f"no administrator's key counts: {ex}", "correct the file; a running service reads it again")
        return
    if keys is None:
        yield warning("there is no administrator's key yet", "start the service, which makes one")
    elif not any(now < key.ends for key in keys):
        yield failure("every administrator's key has ended", "make a new one with `writ admin-key rotate`")
    else:
        yield ok("there is an administrator's key")
    yield from _bare_keys(directory, settings)


def _bare_keys(directory: Path, settings: Settings) -> Iterator[DoctorFinding]:
    given = None if settings.admin_key_file is None else Path(settings.admin_key_file)
    if given is not None and given.stat().st_mode & _OTHERS:
        yield failure(f"other users can use `{given}`, which has the administrator's keys", f"run `chmod 600 {given}`")
    file = directory / KEY_FILE
    if file.exists() and (given is None or not given.samefile(file)):
        yield warning(f"`{file}` has the key itself", "keep the key elsewhere, and delete the file")


def check_keys(directory: Path, settings: Settings) -> Iterator[DoctorFinding]:
    """Yields whether the keys that sign tokens, the audit log and bundles can be used."""
    yield from check_strays(directory)
    if settings.signing_key is None and (directory / SIGNING_KEYS_GIVEN).exists():
        yield _unseen("tokens", "WRIT_SIGNING_KEY")
    else:
        yield _usable("tokens", signing_keys_at(directory, settings.signing_key))
    yield _usable("the audit log", audit_keys_at(directory, settings.audit_key))
    if settings.bundle_key is None and (directory / BUNDLE_KEYS_GIVEN).exists():
        yield _unseen("bundles", "WRIT_BUNDLE_KEY")
    elif settings.bundle_key is not None or (directory / BUNDLE_FOLDER).exists():
        yield _usable("bundles", bundle_keys_at(directory, settings.bundle_key))


def check_strays(directory: Path) -> Iterator[DoctorFinding]:
    """Yields a finding for each file in a folder of keys that the service does not read."""
    for folder in (FOLDER, AUDIT_FOLDER, BUNDLE_FOLDER):
        for stray in strays(directory / folder):
            yield warning(
                f"`{stray}` is no key of Writ's by its name, so the service does not read it",
                "delete it; to bring your own key, set WRIT_SIGNING_KEY, WRIT_AUDIT_KEY or WRIT_BUNDLE_KEY",
            )


def _unseen(what: str, variable: str) -> DoctorFinding:
    return warning(
        f"the service signs {what} with a supplied key, which this command does not see",
        f"run this command with {variable} as the service has it",
    )


def _usable(what: str, source: KeySource) -> DoctorFinding:
    try:
        keys, faults = read_keys(source.pems())
        keys.signer()
    except UnusableSigningKey as ex:
        said, _, remedy = str(ex).partition("; run `ch")
        if remedy:
            return failure(f"{what} can't be signed: {said}", f"run `ch{remedy}")
        return failure(
            f"{what} can't be signed: {ex}",
            "put the keys back from your copy, or delete a file that is no key; if there never were any, start the"
            " service, which makes them",
        )
    if faults:
        said, _, remedy = str(faults[0]).partition("; ")
        remedy = remedy or "put it back, or delete the file"
        return warning(f"of the keys for {what}, one can't be used: {said}", remedy)
    return ok(f"there is a key that signs {what}")
