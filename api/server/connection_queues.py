"""The connections of a worker, in the order in which they give way when it has as many as it may."""

from itertools import islice
from typing import Final, Protocol

from .shares import Share

CANDIDATES: Final = 8
"""Connections of a queue that are tried in turn. One that does not give way goes to the end of its queue."""


class QueuedConnection(Protocol):
    """A connection that may give way."""

    def may_give_way(self) -> bool:
        """Returns whether the client has taken the answer: to close earlier would cut it off."""

    def give_way(self) -> None:
        """Close."""

    def stop(self) -> None:
        """Close once all that was sent is answered."""


class Connections:
    """All connections of a worker, and queues of those that wait for their client, the longest wait first.

    `newcomers` never sent a whole head, `owing` owe the rest of a body, and `idle` have the answer to all they sent.
    A connection in none of them is being served, and never gives way: so no client keeps others out by half a request.
    """

    def __init__(self, most: int, share: Share) -> None:
        self.most, self.share = most, share
        self.all: set[QueuedConnection] = set()
        self.arriving = 0
        self.stopping = False
        self.newcomers: dict[QueuedConnection, None] = {}
        self.owing: dict[QueuedConnection, None] = {}
        self.idle: dict[QueuedConnection, None] = {}

    def add(self, connection: QueuedConnection) -> bool:
        """Take one more in, after another gave way for it if necessary. Returns whether there was room."""
        if not self.make_room():
            return False
        self.all.add(connection)
        self.tally()
        return True

    def discard(self, connection: QueuedConnection) -> None:
        """Count a connection no more."""
        self.all.discard(connection)
        self.tally()

    def tally(self) -> None:
        """Tell the other workers how many there are, with the `arriving` ones, whose start is unfinished."""
        self.share.set(len(self.all) + self.arriving)

    def present(self) -> bool:
        """Returns whether there are connections, started or arriving."""
        return bool(self.all) or self.arriving > 0

    def states(self) -> dict[str, int]:
        """Returns how many connections are in each state."""
        new, receiving, idle = len(self.newcomers), len(self.owing), len(self.idle)
        serving = len(self.all) - new - receiving - idle
        return {"starting": self.arriving, "new": new, "serving": serving, "receiving": receiving, "idle": idle}

    def make_room(self) -> bool:
        """Returns whether one more fits, after one gave way for it if necessary."""
        if len(self.all) < self.most:
            return True
        for queue in (self.newcomers, self.owing, self.idle):
            for connection in tuple(islice(queue, CANDIDATES)):
                if connection.may_give_way():
                    connection.give_way()
                    return True
                del queue[connection]
                queue[connection] = None
        return False

    def stop(self) -> None:
        """Ask all to end, also those that still come, and leave new ones to other workers."""
        self.stopping = True
        self.share.leave()
        for connection in tuple(self.all):
            connection.stop()
