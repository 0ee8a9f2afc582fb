"""Each library that the browser loads has its licence and its version, and is what its authors published."""

import shutil
import subprocess

import pytest

from tests.support import vendored


def test_every_file_of_a_library_is_recorded_with_its_licence() -> None:
    record = vendored.recorded()
    assert {path.name for path in vendored.VENDOR.glob("*.js")} == set(record)
    for file, about in record.items():
        assert about["licence"] in (vendored.VENDOR / file).read_text()[:500]
        assert (vendored.VENDOR / about["licence_file"]).stat().st_size > 500


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_every_file_is_what_its_authors_published() -> None:
    for file, about in vendored.recorded().items():
        try:
            found = vendored.published(about["package"], about["version"], [file])
        except subprocess.SubprocessError:
            pytest.skip("npm reaches no registry")
        assert found[file] == (vendored.VENDOR / file).read_bytes()
