"""A person's hand before the console: it clicks and types as people do, and the page counts that."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.console import Desk, desk, expect

_COUNTS = """(() => {
  window.spent = { clicks: 0, keys: 0 };
  addEventListener("pointerdown", ({ isTrusted }) => isTrusted && (window.spent.clicks += 1), true);
  addEventListener("keydown", ({ isTrusted }) => isTrusted && (window.spent.keys += 1), true);
})()"""
"""A script that counts what a person does, and not what a page does by itself."""

MOST_TABS = 80
"""The fields and links of a page that the Tab key passes."""


@dataclass
class Hand:
    """The hand of a person at a desk. `others` are the clicks and keys of those who help at other desks."""

    desk: Desk
    others: list[tuple[int, int]] = field(default_factory=list)
    before: tuple[int, int] = (0, 0)

    @staticmethod
    def at(desk: Desk) -> "Hand":
        """A hand at a desk that is opened next, since a page counts from its start."""
        desk.page.context.add_init_script(_COUNTS)
        return Hand(desk)

    @property
    def page(self) -> Any:
        """Playwright's page."""
        return self.desk.page

    def begin(self, place: str) -> None:
        """Go to the place where a task begins. What was spent before does not count."""
        self.desk.go(place)
        self.others.clear()
        self.before = self._counted()

    def click(self, name: str, role: str = "button") -> None:
        """Click what has a role and exactly this name. Of several, the last one counts: dialogs come after the page."""
        self.page.get_by_role(role, name=name, exact=True).last.click()

    def open(self, page: str) -> None:
        """Open a page by the navigation."""
        self.page.get_by_role("navigation", name="Console").get_by_role("link", name=page).click()

    def write(self, label: str, text: str) -> None:
        """Click the field with this label, and type."""
        self.page.get_by_label(label, exact=True).click()
        self.page.keyboard.type(text)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, found: Any) -> None:
        """Press Tab until the focus is on what is found."""
        found.wait_for()
        for _ in range(MOST_TABS):
            self.press("Tab")
            if found.evaluate("one => one === document.activeElement"):
                return
        expect(found).to_be_focused()

    @contextmanager
    def another(self, key: str, place: str) -> Iterator["Hand"]:
        """Another person, who has signed in at a desk of their own."""
        with desk(self.page.context.browser, self.desk.server) as found:
            other = Hand.at(found)
            found.sign_in(key, place)
            other.before = other._counted()
            yield other
            self.others.append(other.spent())

    def spent(self) -> tuple[int, int]:
        """Returns the clicks and the keys since the task began, also those of the others."""
        now = self._counted()
        clicks, keys = (now[at] - self.before[at] + sum(one[at] for one in self.others) for at in (0, 1))
        return clicks, keys

    def _counted(self) -> tuple[int, int]:
        found = self.page.evaluate("window.spent")
        return found["clicks"], found["keys"]
