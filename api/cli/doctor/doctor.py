"""`writ doctor`: checks an installation, and says what to do about each finding."""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import click
import msgspec

from ....bundles.system_errors import lack_at, sentence_of
from ...settings.settings import BadSetting, Settings, settings_from
from ...settings.sign_in_settings import SignInSettings
from ...store.errors import StoreUnavailable
from ..output import escaped
from ..source_paths import FilePath
from .directory_checks import check_admin_key, check_keys, check_lock, check_modes, is_plain
from .finding import Check, DoctorFinding, Level, failure
from .machine import check_disk, check_files
from .rights_checks import check_python, check_rights, check_settings
from .service import check_service
from .sign_in_checks import check_sign_in
from .store_checks import check_copies, check_store

UNREADABLE: Final = (OSError, StoreUnavailable, ValueError)
"""The errors of a check that can't go on. The report then has a failure."""

_DIRECTORY: Final = "directory"


@click.command("doctor")
@click.option(
    "--data",
    "directory",
    type=FilePath(),
    help="The data directory to check. The default is writ-data, unless there is a --url.",
)
@click.option("--url", help="The URL of a running service to check.")
@click.option("--ca-file", type=FilePath(), help="The authorities for the service's certificate (PEM).")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def doctor_command(directory: Path | None, url: str | None, ca_file: Path | None, form: str) -> None:
    """Check an installation, and say what to do about each finding. A service may run meanwhile.

    It changes nothing, needs no credential, and prints no secret, so you can pass its output on. `--format json` prints
    a list of `{check, level, message, remedy}`. The level is ok, warning or failure. Exit code 1 if something needs
    attention.

    \b
    Examples:
      writ doctor
      writ doctor --data /var/lib/writ --url https://writ.example
      writ doctor --format json
    """
    if url is not None and not _is_url(url):
        raise click.UsageError("`--url` is a URL like https://writ.example")
    if directory is None and url is None:
        directory = Path("writ-data")
    found = [(name, one) for name, check in _checks(directory, url, ca_file).items() for one in _findings(check)]
    click.echo(_json(found) if form == "json" else _text(found))
    sys.exit(0 if all(one.level is Level.OK for _, one in found) else 1)


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_bare = not (parts.query or parts.fragment or "@" in parts.netloc)  # they may be secrets, which it would show
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and is_bare
    except ValueError:
        return False


def _checks(directory: Path | None, url: str | None, ca_file: Path | None) -> Mapping[str, Check]:
    """Returns the checks by their names, in the order of the report."""
    now = time.time()
    try:
        settings = settings_from(os.environ)
    except BadSetting as ex:
        return {"settings": partial(_one, failure(str(ex), "correct the variable, or unset it"))}
    checks: dict[str, Check] = {"settings": partial(check_settings, settings)} if settings.warnings else {}
    if directory is not None:
        checks |= _directory_checks(directory, settings, now)
    if settings.sign_in != SignInSettings():
        checks["sign-in"] = partial(check_sign_in, settings, directory if "store" in checks else None)
    if url is not None:
        checks["service"] = partial(check_service, url.rstrip("/"), ca_file, now)
    return checks


def _directory_checks(directory: Path, settings: Settings, now: float) -> Mapping[str, Check]:
    """Returns the checks of a data directory. What is in it is only read if nothing in it can block a reader."""
    if not directory.is_dir():
        missing = failure(f"`{directory}` is not a folder", "name the data directory by --data, or start the service")
        return {_DIRECTORY: partial(_one, missing)}
    outside: dict[str, Check] = {
        _DIRECTORY: partial(check_modes, directory),
        "rights": partial(check_rights, directory),
        "settings": partial(check_settings, settings),
        "python": check_python,
        "disk": partial(check_disk, directory),
        "open files": partial(check_files, settings),
    }
    if (lack := lack_at(directory, "rx")) is not None:
        del outside[_DIRECTORY], outside["rights"]
        return {_DIRECTORY: partial(_one, failure(lack.message, lack.remedy))} | outside
    try:
        plain = is_plain(directory)
    except OSError:
        plain = False
    if not plain:
        return outside
    return outside | {
        "process": partial(check_lock, directory),
        "admin key": partial(check_admin_key, directory, settings, now),
        "keys": partial(check_keys, directory, settings),
        "store": partial(check_store, directory, settings, now),
        "copies": partial(check_copies, directory),
    }


def _one(finding: DoctorFinding) -> Iterator[DoctorFinding]:
    yield finding


def _findings(check: Check) -> Iterator[DoctorFinding]:
    try:
        yield from check()
    except UNREADABLE as ex:
        reason, _, remedy = sentence_of(ex).partition("; ")
        yield failure(f"this can't be checked: {reason}", remedy or "make it readable for this user, and try again")


def _text(found: list[tuple[str, DoctorFinding]]) -> str:
    lines = []
    for name, one in found:
        lines.append(f"{one.level.upper():<8} {name}: {one.message}")
        if one.remedy:
            lines.append(f"         to do: {one.remedy}")
    attention = sum(one.level is not Level.OK for _, one in found)
    need = "finding needs" if len(found) == 1 else "findings needs" if attention == 1 else "findings need"
    lines.append(f"{attention} of {len(found)} {need} attention" if attention else "Nothing needs attention")
    return "\n".join(map(escaped, lines))


def _json(found: list[tuple[str, DoctorFinding]]) -> str:
    rows = [{"check": name, "level": one.level, "message": one.message, "remedy": one.remedy} for name, one in found]
    return escaped(msgspec.json.encode(rows).decode())
