"""Draws the pictures of the console's page: `python -m tests.support.console_pictures`.

A real browser opens the demo's console. Each picture is one of `PICTURES`, in `api/console/pictures`.
"""

import json
import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from tests.support.console import Desk, chromium, desk
from tests.support.server import ROOT, Server, running

FOLDER: Final = ROOT / "api/console/pictures"

_WAITING_SHOWS: Final = 600
"""Milliseconds after which a page says that it waits."""

_QUESTION: Final = {
    "subject": {"type": "user", "id": "hana.abdi"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1", "properties": {"classification": "secret"}},
    "context": {"ip": "10.4.0.9"},
}


class Picture(NamedTuple):
    """A picture: the place that it shows, what must be there before, and how the window is."""

    name: str
    place: str
    shows: str
    phone: bool = False
    dark: bool = False


PICTURES: Final = (
    Picture("overview", "#/default/overview", "Why requests were denied"),
    Picture("try", "#/default/try?" + urlencode({"q": json.dumps(_QUESTION)}), "To allow it"),
    Picture("policy", "#/default/policies/confidential-needs-mfa", "Allows everyone with the role"),
    Picture("subject-dark", "#/default/subjects/user/hana.abdi", "staff", dark=True),
    Picture("matrix", "#/default/matrix?type=contract", "andreas.bello"),
    Picture("try-phone-dark", "#/default/try?" + urlencode({"q": json.dumps(_QUESTION)}), "To allow it", True, True),
)


def draw(folder: Path, browser: Any, server: Server) -> None:
    """Draw every picture into a folder."""
    folder.mkdir(exist_ok=True)
    _ask_some(server)
    for picture in PICTURES:
        with desk(browser, server, phone=picture.phone, dark=picture.dark) as shown:
            shown.sign_in(place=picture.place)
            shown.sees(picture.shows)
            _settle(shown)
            shown.page.screenshot(path=folder / f"{picture.name}.png", animations="disabled")


def _settle(shown: Desk) -> None:
    """Wait until every part of the page has its answer: the warnings of a model take a moment."""
    shown.page.wait_for_timeout(_WAITING_SHOWS)
    shown.page.wait_for_function("() => !document.querySelector('main .waiting')")
    shown.page.mouse.move(0, 0)


def _ask_some(server: Server) -> None:
    """Ask a few questions, so that the overview has something to show."""
    with server.client() as api:
        for classification, times in (("internal", 41), ("secret", 9)):
            for _ in range(times):
                resource = {**_QUESTION["resource"], "properties": {"classification": classification}}
                api.post("/access/v1/evaluation", json={**_QUESTION, "resource": resource}).raise_for_status()
        unknown = {"subject": {"type": "user", "id": "x"}, "action": {"name": "read"}}
        api.post("/access/v1/evaluation", json={**unknown, "resource": {"type": "invoice", "id": "i"}})


def main() -> None:
    """Draw the pictures of the page."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder) / "data", "--demo") as server,
        chromium() as browser,
    ):
        draw(FOLDER, browser, server)


if __name__ == "__main__":
    main()
