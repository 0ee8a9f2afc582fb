"""All tasks, with the clicks that each may take. `python -m tests.bench.console_tasks` prints what they take."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.api.console import service_tasks, tasks
from tests.api.console.reports import ENV, begin
from tests.support.console import desk
from tests.support.hand import Hand
from tests.support.server import running


@dataclass(frozen=True)
class Task:
    """A task, and the clicks that it may take."""

    run: Callable[[Hand], None]
    most_clicks: int

    @property
    def name(self) -> str:
        """The task in words."""
        return str(self.run.__doc__)

    def do(self, hand: Hand) -> tuple[int, int]:
        """Do it, from the overview of the model as it began. Returns the clicks and the keys that it took."""
        begin(hand.desk)
        hand.begin(f"#/{ENV}/overview")
        self.run(hand)
        return hand.spent()


TASKS: Final = (
    Task(tasks.why, 5),
    Task(tasks.give, 2),
    Task(tasks.by_keyboard, 0),
    Task(tasks.who_can, 4),
    Task(tasks.review, 1),
    Task(tasks.person, 11),
    Task(tasks.policy, 5),
    Task(tasks.undo, 5),
    Task(service_tasks.promote, 5),
    Task(service_tasks.key, 10),
    Task(tasks.denials, 2),
    Task(tasks.ends, 1),
    Task(tasks.find, 0),
    Task(tasks.on_a_phone, 6),
)


@contextmanager
def at_work(browser: Any, folder: Path) -> Iterator[Hand]:
    """The administrator's hand, at a service that logs its decisions."""
    log = ("--decision-log", str(folder / "decisions.jsonl"))
    with running(folder / "data", "--demo", *log) as server, desk(browser, server) as found:
        hand = Hand.at(found)
        found.sign_in()
        yield hand
