"""Releases: locks that fit what the project asks for, a workflow whose actions are pinned, archives without a clock."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.server import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = {
    "api/deployment/requirements.lock": [
        *PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"]["postgres"],
    ],
    ".ci/build.lock": PROJECT["dependency-groups"]["build"],
    ".ci/parts.lock": PROJECT["dependency-groups"]["parts"],
}
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
EARLIEST = 315_532_800
"""1980-01-01, the first day that a zip file can tell."""


def pinned(lock: str) -> dict[str, tuple[str, int]]:
    """The version of each part of a lock, and how many hashes it has."""
    entries = re.split(r"^(?=[A-Za-z0-9])", (ROOT / lock).read_text(), flags=re.MULTILINE)[1:]
    found = [(re.match(r"([\w.-]+)==([\w.+!-]+)", entry), entry.count("--hash=sha256:")) for entry in entries]
    return {canonicalize_name(match[1]): (match[2], hashes) for match, hashes in found if match is not None}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_what_the_project_asks_for(lock: str) -> None:
    """`.ci/lock` makes it anew."""
    found = pinned(lock)
    for wanted in map(Requirement, LOCKS[lock]):
        version, _ = found[canonicalize_name(wanted.name)]
        assert wanted.specifier.contains(version), f"{wanted} and {version}: run .ci/lock"
    assert all(hashes for _, hashes in found.values())
    assert "://" not in (ROOT / lock).read_text(), "a lock names no index"


def test_the_actions_of_the_workflow_are_pinned_by_digest() -> None:
    used = [step["uses"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "uses" in step]
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action)] == []


def test_each_job_of_the_workflow_has_the_least_rights() -> None:
    assert WORKFLOW["permissions"] == {}
    assert WORKFLOW["jobs"]["build"]["permissions"] == {"contents": "read"}
    assert not any("checkout" in step.get("uses", "") for step in WORKFLOW["jobs"]["publish"]["steps"])


# -- the version


def test_each_commit_has_a_version_and_a_tag_is_one(tmp_path: Path) -> None:
    """In a clone. A folder without history has the version that the project falls back to."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert version(tmp_path) == PROJECT["tool"]["setuptools_scm"]["fallback_version"]
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "pyproject.toml")
    found = []
    for _ in range(2):
        git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "A change")
        found.append(version(tmp_path))
    assert re.fullmatch(r"0\.1\.dev1\+g[0-9a-f]+ 0\.1\.dev2\+g[0-9a-f]+", " ".join(found))
    git(tmp_path, "tag", "v0.1.0")
    assert version(tmp_path) == "0.1.0"


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=ann", "-c", "user.email=ann@writ.example")
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


def version(folder: Path) -> str:
    """The version of what is built in a folder."""
    done = subprocess.run([sys.executable, "-m", "setuptools_scm"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# -- the archives


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of `.ci/release`, made with another mask of modes and in another zone of time than ours."""
    folder = tmp_path_factory.mktemp("release")
    line = ["sh", "-c", 'umask 077 && exec "$0" "$1"', str(ROOT / ".ci/release"), str(folder)]
    done = subprocess.run(line, env=os.environ | {"TZ": "Asia/Tokyo"}, capture_output=True, text=True)
    if done.returncode and re.search(r"Connection|Retrying|No matching distribution", done.stderr):
        pytest.skip("the tools of a release can't be installed here")
    assert done.returncode == 0, done.stderr
    return folder


def committed() -> int:
    """The instant of the newest commit, in epoch seconds."""
    return int(subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, check=True).stdout)


@pytest.mark.deployment
@pytest.mark.timeout(600)
def test_nothing_of_the_machine_is_in_a_release(release: Path) -> None:
    """Two machines give the same bytes: modes, owners and times are those of the commit."""
    (wheel,), (source,) = release.glob("*.whl"), release.glob("*.tar.gz")
    with ZipFile(wheel) as archive:
        parts = archive.infolist()
        local = datetime.fromtimestamp(max(committed(), EARLIEST), UTC).timetuple()[:6]
        assert {part.date_time[:5] for part in parts} == {local[:5]}
        assert {part.external_attr >> 16 & 0o777 for part in parts} <= {0o644, 0o664, 0o755}
    assert source.read_bytes()[4:8] == bytes(4), "gzip has a time too"
    with tarfile.open(source) as tree:
        members = tree.getmembers()
    assert [one.name for one in members] == sorted((one.name for one in members), key=lambda name: name.encode())
    assert {(one.mtime, one.uid, one.gid, one.uname, one.gname) for one in members} == {(committed(), 0, 0, "", "")}
    assert {one.mode for one in members} <= {0o644, 0o755}
    assert not any(
        str(folder).encode() in part.read_bytes() for part in release.iterdir() for folder in (ROOT, release)
    )


@pytest.mark.deployment
@pytest.mark.timeout(600)
def test_the_list_of_parts_has_each_part_of_the_lock(release: Path) -> None:
    listed: dict[str, Any] = json.loads((release / "parts.cdx.json").read_text())
    assert (listed["bomFormat"], listed["metadata"]["component"]["name"]) == ("CycloneDX", "writ-pdp")
    assert listed["metadata"]["component"]["version"] in next(release.glob("*.whl")).name
    found = {canonicalize_name(one["name"]): one["version"] for one in listed["components"]}
    assert found == {name: version for name, (version, _) in pinned("api/deployment/requirements.lock").items()}
    sums = dict(reversed(line.split("  ")) for line in (release / "SHA256SUMS").read_text().splitlines())
    files = {one.name: one for one in release.iterdir() if one.name != "SHA256SUMS"}
    assert sums == {name: sha256(one.read_bytes()).hexdigest() for name, one in files.items()}
