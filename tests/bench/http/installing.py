"""The binaries of the other services, installed once into a folder by the tools of their languages."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

OPA, OPA_VERSION = "github.com/open-policy-agent/opa", "v1.22.2"
"""A Go module."""

CERBOS, CERBOS_VERSION = "cerbos", "0.51.0"
"""An npm package, which carries the binary."""

OPENFGA, OPENFGA_VERSION = "github.com/openfga/openfga", "v1.22.1"
"""A Go module. To build it takes minutes, so tests use it if it is there: see `built_openfga`."""

SECONDS = 1_800

PEERS = Path(tempfile.gettempdir()) / "writ-bench-peers"
"""The folder that they are installed into, unless a caller names another one."""


class Unavailable(Exception):
    """Something can't be had; the message is one sentence."""


def opa_binary(folder: Path) -> Path:
    """Returns OPA's binary, built if it is not in `folder` yet. Raises Unavailable."""
    binary = folder / f"opa-{OPA_VERSION}" / "opa"
    if not binary.exists():
        _run("go", ["install", f"{OPA}@{OPA_VERSION}"], {"GOBIN": str(binary.parent)})
    return binary


def built_openfga(folder: Path) -> Path | None:
    """Returns OpenFGA's binary, from the path or from `folder`, or None. `go install` may have built it there."""
    built = folder / f"openfga-{OPENFGA_VERSION}" / "openfga"
    found = built if built.exists() else shutil.which("openfga")
    return None if found is None else Path(found)


def cerbos_binary(folder: Path) -> Path:
    """Returns Cerbos's binary, installed if it is not in `folder` yet. Raises Unavailable."""
    place = folder / f"cerbos-{CERBOS_VERSION}"
    pattern = "node_modules/@cerbos/*/cerbos-*"
    if not any(place.glob(pattern)):
        place.mkdir(parents=True, exist_ok=True)
        _run(
            "npm",
            ["install", "--no-save", "--loglevel", "error", "--prefix", str(place), f"{CERBOS}@{CERBOS_VERSION}"],
            {},
        )
    found = next(place.glob(pattern), None)
    if found is None:
        raise Unavailable("the package `cerbos` has no binary for this machine")
    return found


def _run(tool: str, arguments: list[str], variables: Mapping[str, str]) -> None:
    if shutil.which(tool) is None:
        raise Unavailable(f"`{tool}` is not installed")
    line = [tool, *arguments]
    try:
        subprocess.run(line, env=os.environ | variables, check=True, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"`{' '.join(line)}` took more than {SECONDS} s") from None
    except subprocess.CalledProcessError as error:
        said = [text for text in error.stderr.splitlines() if not text.startswith("go: downloading")]
        raise Unavailable(f"`{' '.join(line)}` failed: {said[0] if said else error.returncode}") from None
