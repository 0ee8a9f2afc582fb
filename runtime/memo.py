"""A bounded memory of what was worked out: a dictionary that forgets its oldest entry when it is full."""

from collections.abc import Hashable
from contextlib import suppress
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Memo(dict[K, V]):
    """Read it as a dictionary; write with `remember`. Threads may race: the worst is that something is forgotten."""

    def __init__(self, limit: int):
        super().__init__()
        self.limit = limit

    def remember(self, key: K, value: V) -> V:
        """Keep `value`, forgetting the oldest entry where there are `limit` already; gives `value` back."""
        if len(self) >= self.limit:
            with suppress(KeyError, StopIteration, RuntimeError):  # another thread was faster
                del self[next(iter(self))]
        self[key] = value
        return value
