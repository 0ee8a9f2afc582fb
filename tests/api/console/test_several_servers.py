"""The console of one of several servers says "at this server" where others may have counted and logged more."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import DENIED, MODEL
from tests.support.console import Desk, desk
from tests.support.managed import ROOT
from tests.support.server import Server, running
from tests.support.servers_together import together
from tests.support.waiting import wait_until

pytestmark = pytest.mark.browser

POLICY = MODEL["policies"][0]["id"]


def asked(server: Server) -> Server:
    """A service that has counted and logged a denial."""
    with server.client() as client:
        client.put(f"{ROOT}/model", json={"model": 1} | MODEL, headers={"If-Match": "*"}).raise_for_status()
        client.post("/access/v1/evaluation", json=DENIED).raise_for_status()
        assert wait_until(lambda: bool(client.get(f"{ROOT}/denials").json()["items"]))
    return server


@pytest.fixture
def one_of_several(database: str, tmp_path: Path) -> Iterator[Server]:
    with together(database, tmp_path, 0, workers=1) as services:
        yield asked(services.start("--decision-log", str(tmp_path / "decisions.jsonl")))


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Server]:
    with running(tmp_path / "data", "--decision-log", str(tmp_path / "decisions.jsonl")) as server:
        yield asked(server)


def told(desk: Desk) -> list[str]:
    """The headings above what a server has counted and logged."""
    page, found = desk.page, list[str]()
    desk.sign_in(place="#/default/overview")
    page.get_by_text("Counted since").wait_for()
    desk.settle()
    found += page.locator("h2", has_text="Decisions of").or_(page.locator("h2", has_text="Why")).all_inner_texts()
    desk.go("#/default/denials")
    page.locator("main tbody tr").first.wait_for()
    desk.settle()
    found += page.locator("h1 small").all_inner_texts()
    desk.go(f"#/default/policies/{POLICY}")
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("heading", name="Recent decisions").wait_for()
    desk.settle()
    return [*found, *dialog.locator("h3", has_text="Recent").all_inner_texts()]


def test_figures_of_one_of_several_servers_are_said_to_be_its_own(browser: Any, one_of_several: Server) -> None:
    with desk(browser, one_of_several) as found:
        assert told(found) == [
            "Decisions of the last hour at this server",
            "Why requests were denied at this server",
            "Requests that were denied in default at this server, from the decision log. The newest is the first.",
            "Recent decisions at this server",
        ]


def test_a_server_alone_says_nothing_of_servers(browser: Any, alone: Server) -> None:
    with desk(browser, alone) as found:
        assert told(found) == [
            "Decisions of the last hour",
            "Why requests were denied",
            "Requests that were denied in default, from the decision log. The newest is the first.",
            "Recent decisions",
        ]
