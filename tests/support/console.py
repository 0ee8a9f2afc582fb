"""A real Chromium in front of the console of a real service."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from tests.support.server import KEY, Server

_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")  # the first has no windows, and is the fastest
CHROMIUM = next(filter(None, map(shutil.which, _PROGRAMS)), None)
PATIENCE = 60_000
_POLL = 20
"""Milliseconds that a test waits for a page: other tests keep all cores busy."""

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 860}
HOSTILE_NAMES = (
    "<script>document.title = 'owned'</script><img src=x onerror=alert(1)>",
    "\u202egnp.exe\u2066 \u200fright to left",
    "x" * 512,
    "' OR 1=1 -- \" & </code> ${7*7} {{7*7}}",
    "../..?a=b#/default/try %2F%00",
    '=HYPERLINK("http://example.com")',
)
"""Names that break pages which take them for something else than text."""

_COUNTS_CALLS = """(() => {
  let underWay = 0;
  const counted = (call) => async function (...given) {
    underWay += 1;
    try {
      return await call.apply(this, given);
    } finally {
      underWay -= 1;
    }
  };
  window.fetch = counted(window.fetch);
  Response.prototype.text = counted(Response.prototype.text);
  window.isSettled = () => underWay === 0 && document.querySelector("h1, [role=alert]") !== null;
})()"""
"""A script that counts the calls whose answers a page has not read. A page draws an answer before its next task."""

_GO = """place => new Promise((done) => {
  const before = location.hash;
  addEventListener("hashchange", done, { once: true });
  location.hash = place;
  if (location.hash === before) done();
})"""
"""Changes the address, and waits until the page has heard of it."""

UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters of `HOSTILE_NAMES` that nobody sees."""


def as_seen(text: str) -> str:
    """A text as the console shows it, with the numbers of the characters that are not seen."""
    return UNSEEN.sub(lambda found: f"U+{ord(found[0]):04X}", text)


_ARGUMENTS = (
    "--no-sandbox",  # the tests may run as root, in a container
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def expect(found: Any, why: str | None = None) -> Any:
    """Returns Playwright's assertions about a locator. Each waits until it is true, for `PATIENCE`, or says `why`."""
    from playwright.sync_api import expect as assertions

    assertions.set_options(timeout=PATIENCE)
    return assertions(found, why)


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser without a window; skips the test if there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Desk:
    """A person before the console. `page` is Playwright's; `complaints` are the errors that the browser saw."""

    server: Server
    page: Any
    complaints: list[str] = field(default_factory=list)

    def wait_until(self, condition: Callable[[], object]) -> None:
        """Wait for a state of the test, and let the browser go on meanwhile."""
        for _ in range(PATIENCE // _POLL):
            if condition():
                return
            self.page.wait_for_timeout(_POLL)
        raise AssertionError("the browser did not get there")

    def open(self, place: str = "") -> None:
        """Open a place of the console, like `#/default/policies`, as an address that somebody got by mail."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.server.url}/console/{place}")

    def sign_in(self, key: str = KEY, place: str = "") -> None:
        """Open a place and sign in there with a key."""
        self.open(place)
        self.page.get_by_label("API key, or the administrator's key").fill(key)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.get_by_role("banner").wait_for()

    def go(self, place: str) -> None:
        """Follow a link to another place of the console, in the same session. The page before is gone then."""
        self.page.evaluate(_GO, place)

    def settle(self) -> None:
        """Wait until the page has an answer to each of its calls, and shows it."""
        self.page.wait_for_function("() => window.isSettled()")

    def sees(self, text: str) -> None:
        """Wait until the page shows a text."""
        self.page.get_by_text(text).first.wait_for()

    def sees_value(self, label: str, value: str) -> None:
        """Wait until the field with a label has a value: a page may be drawn again shortly after it says why."""
        expect(self.page.get_by_label(label, exact=True)).to_have_value(value)

    def client(self, key: str = KEY) -> httpx.Client:
        """A client of the API beside the browser."""
        return httpx.Client(base_url=self.server.url, headers={"Authorization": f"Bearer {key}"}, timeout=30)

    def serious(self) -> list[str]:
        """Returns the faults on the settled page, found by axe, that keep people from using it."""
        axe = pytest.importorskip(
            "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
        )
        self.settle()
        found = axe.Axe().run(self.page).response["violations"]
        return [
            f"{one['id']}: {node['html'][:200]}"
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]


@contextmanager
def desk(browser: Any, server: Server, *, phone: bool = False, dark: bool = False) -> Iterator[Desk]:
    """A fresh window. At its end, the browser must have had nothing to complain about."""
    context = browser.new_context(
        viewport=PHONE if phone else DESK, color_scheme="dark" if dark else "light", accept_downloads=True
    )
    context.set_default_timeout(PATIENCE)
    context.add_init_script(_COUNTS_CALLS)
    found = Desk(server, context.new_page())
    found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
    found.page.on("console", lambda message: _note(found, message))
    try:
        yield found
    finally:
        context.close()
    assert found.complaints == []


def _note(desk: Desk, message: Any) -> None:
    """Keep what the browser calls an error. It calls an answer of 4xx one too, and those are the console's to show."""
    if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
        desk.complaints.append(message.text)
