"""The checks of rights: what the user of the service can't read, write or run, and the command that changes it."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from writ.api.cli.doctor.directory_checks import check_strays
from writ.api.cli.doctor.finding import DoctorFinding, Level
from writ.api.cli.doctor.rights_checks import check_python, check_rights, check_settings
from writ.api.engines.work.process_apart import CannotRunPython, require_python
from writ.api.settings.settings import settings_from
from writ.bundles.system_errors import this_user

from tests.support.unprivileged import NOBODY, entered_by_all, unprivileged

FILES = ("writ.db", "writ.db-wal", "serve.lock", "keys/key.pem", "bundles/one.bundle")
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="to make files of another user takes root")


@pytest.fixture
def data() -> Iterator[Path]:
    """A data directory of the user of the service."""
    with entered_by_all() as folder:
        for name in FILES:
            path = folder / "data" / name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(0o600)
        for path in (folder / "data", *(folder / "data").rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        (folder / "data" / "lost+found").mkdir(mode=0o700)
        yield folder / "data"


def faults(directory: Path) -> list[tuple[str, str]]:
    with unprivileged():
        found = list(check_rights(directory))
    return [(one.message, one.remedy) for one in found if one.level is Level.FAILURE]


def me() -> str:
    with unprivileged():
        return this_user()


def test_a_directory_of_the_service_has_no_fault(data: Path) -> None:
    assert faults(data) == []


@pytest.mark.parametrize(
    ("name", "mode", "verb", "right"),
    [
        ("writ.db", 0o400, "write to", "u+w"),
        ("writ.db-wal", 0o400, "write to", "u+w"),
        ("serve.lock", 0o200, "read", "u+r"),
        ("keys/key.pem", 0o000, "read", "u+r"),
        ("keys", 0o500, "write to", "u+rwx"),
        ("bundles", 0o600, "enter", "u+rwx"),
        ("", 0o500, "write to", "u+rwx"),
    ],
)
def test_a_mode_that_takes_a_right(data: Path, name: str, mode: int, verb: str, right: str) -> None:
    (data / name).chmod(mode)
    message = f"{me()} can't {verb} `{data / name}`, which belongs to {me()}"
    assert faults(data) == [(message, f"run `chmod {right} {data / name}`")]


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_user(data: Path, name: str) -> None:
    """A command that root ran leaves such files."""
    os.chown(data / name, 0, 0)
    remedy = f"run `chown {me()} {data / name}`, or run this as root"
    assert faults(data) == [(f"{me()} can't read `{data / name}`, which belongs to root", remedy)]
    (found,) = check_rights(data)  # root itself
    assert found.remedy == f"run `chown {me()} {data / name}`"


def test_a_key_that_can_only_be_read_is_no_fault(data: Path) -> None:
    (data / "keys/key.pem").chmod(0o400)
    assert faults(data) == []


def test_a_file_that_is_no_key(data: Path) -> None:
    shutil.copy(data / "writ.db", data / "keys" / f"{'0' * 12}-{'k' * 43}.pem")
    (found,) = check_strays(data)
    assert (found.level, str(data / "keys/key.pem") in found.message) == (Level.WARNING, True)


def _of_settings(**variables: str) -> list[DoctorFinding]:
    with unprivileged():
        return [one for one in check_settings(settings_from(variables)) if one.level is not Level.OK]


def test_a_variable_that_is_no_setting() -> None:
    assert _of_settings(WRIT_STALE_SECONDS="3") == []
    (found,) = _of_settings(WRIT_STALE_SECOND="3")
    assert found.message == "`WRIT_STALE_SECOND` is not a setting and has no effect"
    assert found.remedy == "did you mean `WRIT_STALE_SECONDS`? Correct its name, or unset it"


def test_the_files_of_the_decision_log(data: Path) -> None:
    os.chown(data / "writ.db", 0, 0)
    for name in ("WRIT_DECISION_LOG", "WRIT_DECISION_LOG_MASKS"):
        (found,) = _of_settings(**{name: str(data / "writ.db")})
        assert found.remedy == f"run `chown {me()} {data / 'writ.db'}`, or run this as root"
    assert _of_settings(WRIT_DECISION_LOG="-", WRIT_DECISION_LOG_MASKS="{}") == []


def test_a_python_that_only_root_can_run(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtual environment that root made may have a Python in the home of root."""
    (data.parent / "home").mkdir(mode=0o700)
    shutil.copy("/bin/true", data.parent / "home" / "python")
    (data.parent / "python").symlink_to(data.parent / "home" / "python")
    monkeypatch.setattr(sys, "executable", str(data.parent / "python"))
    require_python()
    with unprivileged():
        (found,) = check_python()
        with pytest.raises(CannotRunPython) as raised:
            require_python()
    reason = f"{me()} can't enter `{data.parent / 'home'}`, which belongs to root"
    assert (found.level, found.message.startswith(reason)) == (Level.FAILURE, True)
    assert str(raised.value) == (
        f"the service starts processes by `{data.parent / 'python'}`, but {reason}; "
        "install Writ with a Python that the user of the service can run"
    )
