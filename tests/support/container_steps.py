"""Runs the steps of a Containerfile in bare Debian trees, for machines that reach no registry of images.

It knows the instructions that Writ's file uses, and refuses all others.
"""

import json
import os
import re
import shutil
import ssl
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

CHROOT: Final = "/usr/sbin/chroot"
_NOTED: Final = ("EXPOSE", "VOLUME")
_AUTHORITIES: Final = "run/authorities.pem"
"""The authorities that this machine trusts, for pip: a tree has only those of its distribution."""


@dataclass
class Image:
    """The result of a stage's steps: the tree of its files, and its command."""

    tree: Path
    variables: dict[str, str] = field(default_factory=lambda: {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"})
    folder: str = "/"
    user: str = "0:0"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)

    def with_variables(self, words: Sequence[str]) -> list[str]:
        """Returns a command line that runs a command of the image with the image's variables, and no others."""
        return ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in self.variables.items()), *words]

    def run(self, *words: str, timeout: float = 600) -> str:
        """Returns what a command prints in the image, as its user. Raises AssertionError if it fails."""
        done = subprocess.run(
            [CHROOT, f"--userspec={self.user}", str(self.tree), *self.with_variables(words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=timeout,
        )
        assert done.returncode == 0, f"{words}: {done.stdout[-4_000:]}"
        return done.stdout


def instructions(text: str) -> list[tuple[str, str]]:
    """Returns the instructions of a Containerfile with their arguments."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def built(file: Path, context: Path, base: Path, folder: Path) -> Image:
    """Returns the image of the last stage. Every stage begins as a copy of the tree `base`, in `folder`."""
    stages: dict[str, Image] = {}
    image: Image | None = None
    for word, rest in instructions(file.read_text()):
        if word == "FROM":
            name = rest.partition(" AS ")[2] or f"stage-{len(stages)}"
            image = stages[name] = _begun(base, folder / name)
        else:
            assert image is not None, "a Containerfile begins with FROM"
            _step(image, word, rest, context, stages)
    assert image is not None
    return image


def _begun(base: Path, tree: Path) -> Image:
    subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(tree)], check=True)
    for source, name in (("/etc/resolv.conf", "etc/resolv.conf"), (_trusted(), _AUTHORITIES)):
        if source is not None and Path(source).exists():
            shutil.copy(source, tree / name)
    return Image(tree)


def _trusted() -> str | None:
    return os.environ.get("PIP_CERT") or ssl.get_default_verify_paths().cafile


def _step(image: Image, word: str, rest: str, context: Path, stages: dict[str, Image]) -> None:
    if word == "RUN":
        trust = f"export PIP_CERT=/{_AUTHORITIES} DEBIAN_FRONTEND=noninteractive"
        image.run("/bin/sh", "-c", f"{trust} && cd {image.folder} && {rest}")
    elif word == "COPY":
        _copy(image, rest.split(), context, stages)
    elif word == "ENV":
        image.variables |= dict(pair.split("=", 1) for pair in rest.split())
    elif word == "WORKDIR":
        image.folder = rest
        _place(image, rest).mkdir(parents=True, exist_ok=True)
    elif word == "USER":
        image.user = rest
    elif word in ("ENTRYPOINT", "CMD"):
        setattr(image, {"ENTRYPOINT": "entrypoint", "CMD": "command"}[word], _exec_form(rest))
    elif word == "HEALTHCHECK":
        image.health = _exec_form(rest.partition("CMD ")[2])
    else:
        assert word in _NOTED, f"these steps can't do {word}"


def _exec_form(text: str) -> list[str]:
    words: list[str] = json.loads(text)
    return words


def _copy(image: Image, words: list[str], context: Path, stages: dict[str, Image]) -> None:
    found = re.fullmatch(r"--from=(\w+)", words[0])
    source = context if found is None else stages[found[1]].tree
    *names, target = words if found is None else words[1:]
    place = _place(image, os.path.normpath(os.path.join(image.folder, target)))
    for name in names:
        _copy_one(source / name.lstrip("/"), place / Path(name).name if target.endswith("./") else place)


def _copy_one(source: Path, target: Path) -> None:
    if source.is_dir():
        ignored = shutil.ignore_patterns("__pycache__") if "/opt/" not in str(source) else None
        shutil.copytree(source, target, symlinks=True, ignore=ignored, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


def _place(image: Image, path: str) -> Path:
    return image.tree / path.lstrip("/")
