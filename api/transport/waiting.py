"""The connections of a worker, in the order in which they give way when it has as many as it may."""

from itertools import islice
from typing import Final, Protocol

CANDIDATES: Final = 8
"""Connections of a queue that are tried in turn. One that is tried in vain goes to the end of its queue."""


class Member(Protocol):
    """A connection that may give way."""

    def may_give_way(self) -> bool:
        """Returns whether the client has taken the answer: to close earlier would cut it off."""

    def give_way(self) -> None:
        """Close."""

    def stop(self) -> None:
        """Close, at the latest once the answer that is being made is given."""


class Connections:
    """All connections of a worker, and queues of those that wait for their client, the longest wait first.

    `newcomers` never sent a whole head, `owing` owe the rest of a body, and `idle` have the answer to all they sent.
    A connection in none of them is being served, and never gives way: so nobody keeps others out by what comes half.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.all: set[Member] = set()
        self.newcomers: dict[Member, None] = {}
        self.owing: dict[Member, None] = {}
        self.idle: dict[Member, None] = {}

    def add(self, connection: Member) -> bool:
        """Take one more in, after another gave way for it if necessary. Returns whether there was room."""
        if not self.make_room():
            return False
        self.all.add(connection)
        return True

    def make_room(self, others: int = 0) -> bool:
        """Returns whether one more fits beside `others`, after one gave way for it if necessary."""
        if len(self.all) + others < self.most:
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
        """Ask all to end."""
        for connection in tuple(self.all):
            connection.stop()
