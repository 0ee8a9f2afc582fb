"""The constraints of what the tests install: one version of each requirement on each Python, in its range."""

import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.pages import page
from tests.support.structure import ROOT

PATH = ".ci/constraints.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = ("test", "browsers", "deployment", "gateways")
"""What the test command and `.ci/run` install."""
PREFIX = "Programming Language :: Python :: 3."
PYTHONS = [line.removeprefix(PREFIX) for line in PROJECT["classifiers"] if line.startswith(PREFIX)]
CONSTRAINTS = [
    Requirement(line) for line in (ROOT / PATH).read_text().splitlines() if line and not line.startswith("#")
]


FAULTY = {
    "click": "8.3.2",  # commands in the name of an editor
    "cryptography": "49.0.0",  # among others: buffers that are not contiguous, constraints on names
    "django": "5.2.16",  # headers, cookies and caches
    "flask": "3.1.2",  # a session that a cache may keep
    "msgspec": "0.21.0",  # a crash on Python 3.13, and memory that is never freed
    "pip": "25.3",  # files outside the folder that an archive is unpacked to
    "playwright": "1.55.0",  # a browser that is fetched without a check of certificates
    "protobuf": "6.33.4",  # nesting without a limit
    "pyjwt": "2.12.1",  # a part of the issuer, unknown `crit` headers, a JWK that counts as a secret
    "pymysql": "1.1.0",  # names of columns that are not escaped
    "pytest": "9.0.2",  # a folder of temporary files that others can make first
    "setuptools": "82.0.1",  # files outside the folder
    "starlette": "1.3.0",  # forms without limits
    "urllib3": "2.6.3",  # credentials in redirects, and answers that grow when unpacked
}
"""The newest version of each package that has a known fault."""


def versions(minor: str) -> dict[str, list[str]]:
    """The versions of each package that are in force on Python 3.`minor` for Linux."""
    on: Any = dict(default_environment()) | {
        "python_version": f"3.{minor}", "python_full_version": f"3.{minor}.5", "sys_platform": "linux"
    }  # fmt: skip
    found = defaultdict(list)
    for line in CONSTRAINTS:
        if line.marker is None or line.marker.evaluate(on):
            (exact,) = line.specifier
            assert exact.operator == "=="
            found[canonicalize_name(line.name)].append(exact.version)
    return found


def wanted() -> Iterator[Requirement]:
    """The requirements of the project and of the extras that are installed for tests."""
    yield from map(Requirement, PROJECT["dependencies"])
    for extra in EXTRAS:
        yield from map(Requirement, PROJECT["optional-dependencies"][extra])


def needed_by(requirement: Requirement) -> Iterator[Requirement]:
    """What an installed package needs on this Python, with the extras that `requirement` names."""
    for text in distribution(requirement.name).requires or ():
        needed = Requirement(text)
        extras: tuple[str, ...] = ("", *requirement.extras)
        if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
            yield needed


def test_the_classifiers_name_pythons() -> None:
    assert PYTHONS[0] == PROJECT["requires-python"].removeprefix(">=3.")
    assert [str(minor) for minor in range(int(PYTHONS[0]), int(PYTHONS[-1]) + 1)] == PYTHONS


@pytest.mark.parametrize("minor", PYTHONS)
def test_each_requirement_has_one_version_in_its_range(minor: str) -> None:
    """`.ci/lock` makes the constraints anew."""
    found = versions(minor)
    assert {name: several for name, several in found.items() if len(several) != 1} == {}
    for requirement in wanted():
        (version,) = found.get(canonicalize_name(requirement.name), ["none"])
        assert version != "none", f"{PATH} lacks {requirement}: run .ci/lock"
        assert requirement.specifier.contains(version), f"{requirement} and {version}: run .ci/lock"


def test_what_requirements_need_has_a_version_too() -> None:
    """Asks the packages that are installed in the version of the constraints, whatever depth they have."""
    found = versions(default_environment()["python_version"].removeprefix("3."))
    waiting, seen = list(wanted()), set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        assert name in found, f"{PATH} lacks {requirement}: run .ci/lock"
        assert requirement.specifier.contains(found[name][0], prereleases=True), f"{requirement} and {found[name]}"
        try:
            is_asked = distribution(name).version == found[name][0]
        except PackageNotFoundError:
            continue
        key = (name, frozenset(requirement.extras))
        if is_asked and key not in seen:
            seen.add(key)
            waiting.extend(needed_by(requirement))
    assert seen


def test_no_range_admits_a_version_with_a_known_fault() -> None:
    every = (*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra))
    asked = [Requirement(text) for text in every]
    assert set(FAULTY) <= {canonicalize_name(one.name) for one in asked}
    found = [one for one in asked if one.specifier.contains(FAULTY.get(canonicalize_name(one.name), "0.0"))]
    assert [str(one) for one in found] == []


def test_the_commands_use_the_constraints() -> None:
    """Both install nothing else than the constraints have, and build no package from its source."""
    options = f"--only-binary :all: --constraint {PATH} --editable"
    assert options in page("README.md").marked("test command")
    assert options in " ".join((ROOT / ".ci/run").read_text().replace("\\\n", " ").split())


def test_an_installation_that_fails_shows_what_it_printed() -> None:
    """Runs the function of `.ci/run` that all its installations go through."""
    text = (ROOT / ".ci/run").read_text()
    function = text[text.index("attempt() {") : text.index("\n}\n") + 3]
    script = function + "attempt nothing true; attempt 'the tool x' sh -c 'echo no such package; exit 1'"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "no such package\ncould not install the tool x: the tests on it are skipped\n"
