"""The console's files: what is served, with which headers, and nothing beside it."""

from pathlib import Path

import pytest
from writ.api.console.page_files import MEDIA, PAGE, console_files

from tests.support.managed import Managed

FILES = sorted(console_files())


def address(name: str) -> str:
    return "/console/" + ("" if name == "index.html" else name)


def test_files_need_no_credential_and_are_cached_by_their_tags(full: Managed) -> None:
    for name in FILES:
        found = full.simulate_get(address(name))
        assert (found.status_code, found.content) == (200, (PAGE / name).read_bytes()), name
        assert found.headers["content-type"] == MEDIA[Path(name).suffix]
        again = full.simulate_get(address(name), headers={"If-None-Match": found.headers["etag"]})
        assert (again.status_code, again.content) == (304, b""), name


def test_files_bring_the_headers_that_keep_the_page_to_itself(full: Managed) -> None:
    for name in FILES:
        headers = full.simulate_get(address(name)).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy, name
        assert "script-src 'self'" in policy, name
        assert "frame-ancestors 'none'" in policy, name
        assert "unsafe" not in policy, name
        assert headers["x-content-type-options"] == "nosniff", name
        assert headers["referrer-policy"] == "no-referrer", name


@pytest.mark.parametrize(
    "path",
    [
        "/console/app/none.js",
        "/console/none/start.js",
        "/console/app",
        "/console/app/",
        "/console/../files.py",
        "/console/%2e%2e/files.py",
        "/console/app%2Fstart.js",
        "/console/app/..%2F..%2Ffiles.py",
        "/console/app/start.js/",
        "/console//index.html",
        "/console/index.html",
    ],
)
def test_nothing_else_is_served(full: Managed, path: str) -> None:
    assert full.simulate_get(path).status_code == 404


def test_the_address_without_its_slash_leads_to_the_page(full: Managed) -> None:
    found = full.simulate_get("/console")
    assert (found.status_code, found.headers["location"]) == (308, "/console/")


def test_no_file_holds_a_script_or_a_style_of_its_own() -> None:
    """The policy would refuse it in the browser."""
    text = (PAGE / "index.html").read_text()
    assert text.count("<script") == text.count('<script type="module" src=') == 1
    assert "<style" not in text
    assert " on" not in text.replace(" one", "")


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".js") and "vendor" not in name])
def test_a_module_opens_with_a_comment_and_stays_short(name: str) -> None:
    lines = (PAGE / name).read_text().splitlines()
    assert lines[0].startswith("// ")
    assert len(lines) <= 300
    assert not any("style=" in line or "innerHTML" in line for line in lines)
