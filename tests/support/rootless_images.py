"""Images that buildah makes for an ordinary user, on a base of this machine's own: no registry of images is asked."""

import json
import os
import pwd
import shlex
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

USER: Final = "writ-images"
"""The user who builds if the tests run as root. It is made then, with the ranges of ids that Debian gives each user."""

TOOLS: Final = ("buildah", "mmdebstrap", "newuidmap", "unshare")
BASE: Final = Path(gettempdir()) / "writ-tests-debian-bookworm.tar"
"""The tree that stands for the base. It stays for the next run."""

_TRUST: Final = "/etc/authorities.pem"
"""The authorities that this machine trusts, for pip: a tree has only those of its distribution."""


@dataclass(frozen=True)
class Builder:
    """An ordinary user with a home of their own, where all images are."""

    home: Path

    def prefix(self) -> list[str]:
        """Returns what comes before a command, so that the user runs it with nothing of our environment."""
        variables = {"HOME": self.home, "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
        variables |= {"STORAGE_DRIVER": "overlay", "BUILDAH_ISOLATION": "chroot", "XDG_RUNTIME_DIR": self.home / "run"}
        pure = ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in variables.items())]
        if os.getuid():
            return pure
        return ["/usr/bin/setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups", *pure]

    def run(self, *words: str, timeout: float = 900) -> str:
        """Returns what a command prints. Raises AssertionError if it fails."""
        line = [*self.prefix(), *words]
        done = subprocess.run(line, cwd=self.home, capture_output=True, text=True, timeout=timeout)
        assert done.returncode == 0, f"{words}: {(done.stdout + done.stderr)[-4_000:]}"
        return done.stdout

    def import_base(self, name: str) -> None:
        """Make the base from Debian's packages, and give it a name."""
        if not BASE.exists():
            made = self.home / "base.tar"
            self.run("mmdebstrap", "--mode=unshare", "--variant=apt", "bookworm", str(made))
            made.rename(BASE)
        script = 'c=$(buildah from scratch) && buildah add --quiet "$c" "$0" / && buildah commit --quiet --rm "$c" "$1"'
        self.run("sh", "-c", script, str(BASE), name)

    def build(self, file: str, context: Path, name: str, arguments: dict[str, str]) -> None:
        """Build a Containerfile of a folder that the user may read."""
        (self.home / "pip.conf").write_text(f"[global]\ncert = {_TRUST}\n")
        volumes = {str(self.home / "pip.conf"): "/etc/pip.conf", _authorities(): _TRUST}
        line = ["buildah", "build", "--format=docker", "--pull-never", f"--file={context / file}", f"--tag={name}"]
        line += [f"--build-arg={key}={value}" for key, value in arguments.items()]
        line += [f"--volume={source}:{target}:ro" for source, target in volumes.items()]
        self.run(*line, str(context))

    def configuration(self, name: str) -> dict[str, Any]:
        """Returns what the image says about its command, its user and its health."""
        inspected = json.loads(self.run("buildah", "inspect", "--type=image", name))
        configuration: dict[str, Any] = inspected["Docker"]["config"]
        return configuration

    def within(self, name: str, script: str, *words: str) -> list[str]:
        """Returns the command line of a script of `sh`, which is root of its own ids. `$tree` is the image's tree."""
        mounted = f'c=$(buildah from {shlex.quote(name)}) && tree=$(buildah mount "$c") && {script}'
        return [*self.prefix(), "buildah", "unshare", "sh", "-c", mounted, *words]


def made_builder(home: Path) -> Builder:
    """Returns the builder with this home. As root, the user is made first, and gets the home."""
    run = home / "run"
    run.mkdir(mode=0o700)
    if os.getuid() == 0:
        try:
            found = pwd.getpwnam(USER)
        except KeyError:
            subprocess.run(["/usr/sbin/useradd", "--no-create-home", USER], check=True, capture_output=True)
            found = pwd.getpwnam(USER)
        for folder in (home, run):
            os.chown(folder, found.pw_uid, found.pw_gid)
    return Builder(home)


def _authorities() -> str:
    return os.environ.get("PIP_CERT") or ssl.get_default_verify_paths().cafile or "/etc/ssl/certs/ca-certificates.crt"
