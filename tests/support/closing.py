"""Things that a test leaves open, closed when the test ends: newer Pythons tell of each that is not."""

from typing import Final, Protocol, TypeVar


class _Closable(Protocol):
    def close(self) -> object: ...


_Opened = TypeVar("_Opened", bound=_Closable)
_OPEN: Final[list[_Closable]] = []


def closed_later(opened: _Opened) -> _Opened:
    """Returns what was opened. It is closed after the test, if the test has not closed it."""
    _OPEN.append(opened)
    return opened


def close_all() -> None:
    """Close what tests left open, the newest first. A second `close` does nothing."""
    while _OPEN:
        _OPEN.pop().close()
