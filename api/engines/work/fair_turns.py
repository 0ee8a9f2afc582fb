"""Turns that callers share fairly: a caller that asks for much waits longer, and no other caller does."""

import asyncio
from collections import Counter, deque
from itertools import count as count_up

from ...http.caller import Who


class FairTurns:
    """A few turns at a time, for the tasks of one event loop.

    The callers of an environment are a group. Groups alternate, the members of a group alternate in its turns, and the
    tasks of a member keep their order. Of several turns, one group never has all, and of these, one member never has
    all. So others find a free turn at once.
    """

    def __init__(self, count: int) -> None:
        self._most_of_group, self._most_of_member = max(1, count - 1), max(1, count - 2)
        self._waiting: dict[Who, deque[asyncio.Future[None]]] = {}
        self._taken: Counter[str | Who] = Counter()
        self._free = count
        self._numbers = count_up(1)
        self._last: dict[str | Who, int] = {}
        self._group_time = self._member_time = 0

    async def take(self, who: Who) -> None:
        """Wait for a turn, which must be given back."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # A new caller counts as served at the time of the last turn, so it comes before those who were served since.
        self._last.setdefault(who[0], self._group_time)
        self._last.setdefault(who, self._member_time)
        self._waiting.setdefault(who, deque()).append(turn)
        self._hand_out()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it came at the same moment
                self.give_back(who)
            raise

    def take_at_once(self, who: Who) -> bool:
        """Take a turn if one is free now. Returns whether it was taken."""
        if self._waiting or not self._may_have_one(who):
            return False
        self._count_turn(who)
        return True

    def others_wait(self, who: Who) -> bool:
        """Returns whether another group waits that could have a turn if this caller gave its turn back."""
        return any(one[0] != who[0] and self._taken[one[0]] < self._most_of_group for one in self._waiting)

    def give_back(self, who: Who) -> None:
        """Give a turn back."""
        self._free += 1
        for one in (who, who[0]):
            self._taken[one] -= 1
            if not self._taken[one]:
                del self._taken[one]
        self._hand_out()
        self._forget_absent()

    def _hand_out(self) -> None:
        """Give turns to those who wait, those who had theirs longest ago first."""
        while True:
            may = [who for who in self._waiting if self._may_have_one(who)]
            if not may:
                return
            who = min(may, key=lambda one: (self._last[one[0]], self._last[one]))
            self._group_time, self._member_time = self._last[who[0]], self._last[who]
            turn = self._waiting[who].popleft()
            if not self._waiting[who]:
                del self._waiting[who]
            if not turn.cancelled():
                self._count_turn(who)
                turn.set_result(None)

    def _may_have_one(self, who: Who) -> bool:
        return self._free > 0 and self._taken[who[0]] < self._most_of_group and self._taken[who] < self._most_of_member

    def _count_turn(self, who: Who) -> None:
        self._free -= 1
        self._taken.update((who, who[0]))
        self._last[who] = self._last[who[0]] = next(self._numbers)

    def _forget_absent(self) -> None:
        """PERF: callers that are gone are forgotten at the end of a rush, not one by one."""
        if not self._waiting and not self._taken:
            self._last.clear()
