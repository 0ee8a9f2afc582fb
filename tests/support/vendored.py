"""Compares the libraries that the console brings with what is published: `python -m tests.support.vendored [--update]`.

It needs `npm`, which knows where packages are published.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

VENDOR = Path(__file__).parents[2] / "api/console/page/vendor"
RECORD = VENDOR / "vendored.toml"

_MAP = re.compile(rb"\n//# sourceMappingURL=[^\n]*")
"""The last line names a file that is not here."""


def recorded() -> dict[str, dict[str, str]]:
    """Returns the record of each file."""
    return tomllib.loads(RECORD.read_text())


def newest(package: str) -> str:
    """The newest published version of a package."""
    return str(json.loads(_npm("view", package, "version", "--json")))


def published(package: str, version: str, names: Sequence[str]) -> dict[str, bytes]:
    """Files of a published package, by name, as they stand here."""
    with tempfile.TemporaryDirectory() as folder:
        _npm("pack", f"{package}@{version}", "--pack-destination", folder)
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as packed:
            files = {name: packed.extractfile(f"package/{name}") for name in names}
            return {name: _MAP.sub(b"", file.read()) for name, file in files.items() if file is not None}


def main(arguments: Sequence[str]) -> int:
    """Say what is outdated or changed. Exit code 1 if something is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="take the newest versions")
    wants_update = parser.parse_args(arguments).update
    if shutil.which("npm") is None:
        print("npm is not installed; install it to compare the libraries with what is published", file=sys.stderr)
        return 2
    return max([_compare(file, about, wants_update) for file, about in recorded().items()], default=0)


def _compare(file: str, about: dict[str, str], wants_update: bool) -> int:
    package, version, licence = about["package"], about["version"], about["licence_file"]
    if published(package, version, [file])[file] != (VENDOR / file).read_bytes():
        print(f"{file} is not what {package} {version} publishes")
        return 1
    if (found := newest(package)) == version:
        print(f"{file} is {package} {version}, the newest")
        return 0
    if not wants_update:
        print(f"{file} is {package} {version}, and {found} is published; `--update` takes it")
        return 1
    files = published(package, found, [file, "LICENSE"])
    (VENDOR / file).write_bytes(files[file])
    (VENDOR / licence).write_bytes(files["LICENSE"])
    RECORD.write_text(RECORD.read_text().replace(f'version = "{version}"', f'version = "{found}"'))
    print(f"{file} is now {package} {found}; run the tests of the console")
    return 0


def _npm(*arguments: str) -> str:
    done = subprocess.run(["npm", *arguments], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
