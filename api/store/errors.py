"""Why the store refuses: its exceptions, each one sentence that can be shown to the caller."""

from dataclasses import dataclass
from typing import TypeAlias

ElementKey: TypeAlias = tuple[str, ...]
"""What names an element of a list: `(id,)`, or `(type, id)` for subjects and resources."""

MAX_LISTED_USERS = 100
"""Users of an element that a Conflict names."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A diagnostic about one element; `path` starts at the element's own body, `$`.

    `edit` is the place of the edit among those of its write, None for a fault of a whole document.
    """

    code: str
    path: str
    message: str
    help: str = ""
    edit: int | None = None

    @property
    def sentence(self) -> str:
        """What is wrong, and what to do about it."""
        return f"{self.message}; {self.help}" if self.help else self.message


class Refusal(Exception):
    """A write, or a part of it, is not done; nothing of it is.

    `edit` is the place of the edit at fault among those of its write, None where it is no single one's.
    """

    edit: int | None = None


class Rejected(Refusal):
    """What was to be written has errors; `faults` has at least one."""

    def __init__(self, faults: tuple[Fault, ...]):
        super().__init__(faults[0].message if len(faults) == 1 else f"{faults[0].message}, and {len(faults) - 1} more")
        self.faults = faults


class NotFound(Refusal):
    """There is no such element, environment or revision."""


class Conflict(Refusal):
    """The id exists already, or something else refers to what was to be deleted.

    `users` names who refers to it, by list and key, up to MAX_LISTED_USERS of them.
    """

    def __init__(self, message: str, users: tuple[tuple[str, ElementKey], ...] = ()):
        super().__init__(message)
        self.users = users


class PreconditionFailed(Refusal):
    """The element is no longer the one that the caller saw (`If-Match`)."""


class Protected(Refusal):
    """The environment can't be deleted: it is the default, whose protection stays, or marked as protected."""


class OutOfBounds(Refusal):
    """Whoever asks is bound to environments, and what is asked for lies outside of them, or is not there."""


class BadQuery(ValueError):
    """A list was asked for with a filter, a cursor or a limit that can't be used."""


class StoreUnavailable(Exception):
    """The database can't be read or written just now; the message says why and what helps."""
