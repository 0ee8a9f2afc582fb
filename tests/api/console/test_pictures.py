"""The script that draws the page's pictures still can, and the page shows exactly these."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.console_pictures import FOLDER, PICTURES, draw
from tests.support.server import Server

PAGE = FOLDER.with_name("README.md")


def size(path: Path) -> tuple[int, int]:
    """The width and the height of a PNG, in pixels."""
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])


def test_the_page_shows_every_picture_with_its_words() -> None:
    shown = re.findall(r"!\[([^\]]{10,})\]\(pictures/(\S+)\.png\)", PAGE.read_text())
    assert sorted(name for _, name in shown) == sorted(one.name for one in PICTURES)
    assert {path.stem for path in FOLDER.glob("*.png")} == {one.name for one in PICTURES}


@pytest.mark.browser
def test_every_picture_can_be_drawn(tmp_path: Path, browser: Any, server: Server) -> None:
    draw(tmp_path, browser, server)
    for picture in PICTURES:
        drawn = tmp_path / f"{picture.name}.png"
        assert size(drawn) == size(FOLDER / f"{picture.name}.png")
        assert drawn.stat().st_size > 10_000
