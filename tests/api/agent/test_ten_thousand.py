"""A simulation: 10,000 agents and one writer, over a network that drops, delays and repeats.

The followers are the real ones, and so are the messages and their verification. Only the engine is a number that never
falls, and time is an event queue. The writer is away for a while, and once it is restored from a backup.
"""

import heapq
import logging
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest
from writ.api.agent.followed_bundle import FollowedBundle
from writ.api.agent.follower import Follower
from writ.api.agent.freshness import Clocks
from writ.api.agent.sources.bundle_source import Answer, Ask, FetchedBundle, FetchedUpdate, SourceError, Unchanged
from writ.api.agent.trust import Trust, position_in
from writ.api.telemetry.log import LOG
from writ.bundles.feed.update import Update
from writ.bundles.file.reader import Bundle

from tests.support.feed import History
from tests.support.following import TRUST
from tests.support.signed import NOW

AGENTS = 10_000
START, END = 10.0, 170.0
COMMITS = (15.0, 15.5, 40.0, 80.0)
AWAY = (25.0, 50.0)
RESTORED = 65.0
DROPPED, REPEATED, LONGEST_DELAY = 0.05, 0.03, 1.0


class Waits(BaseException):
    """The writer holds a question. It is asked again, with the same question, when the writer answers."""


class Engine:
    """Stands for an engine: an epoch and a revision, which never fall once they are in force."""

    def __init__(self, age: tuple[int, int]):
        self.age = age

    def pinned(self) -> "Engine":
        return Engine(self.age)

    def apply_deltas(self, deltas: Any) -> None:
        self.age = self.age[0], deltas[-1].revision if deltas else self.age[1]

    def take_over(self, other: "Engine") -> None:
        assert other.age >= self.age
        self.age = other.age


class Remembering(Trust):
    """Verifies each message once, for all agents."""

    bundles: dict[Any, Bundle] = {}  # noqa: RUF012 - of all agents
    updates: dict[bytes, Update] = {}  # noqa: RUF012 - of all agents

    def bundle(self, path: Path, now: float | None, uuid: str | None = None, min_epoch: int = 0) -> Bundle:
        key = path, uuid, min_epoch
        if key not in self.bundles:
            self.bundles[key] = super().bundle(path, now, uuid, min_epoch)
        return self.bundles[key]

    def update(self, data: bytes, now: float | None) -> Update:
        if data not in self.updates:
            self.updates[data] = super().update(data, now)
        return self.updates[data]


@dataclass
class Writer:
    """Answers at an instant, and counts what it is asked. It makes a bundle of every third revision."""

    folder: Path
    history: History = field(default_factory=History)
    now: float = 0.0
    requests: Counter[int] = field(default_factory=Counter)
    bundles: int = 0
    made: dict[Any, Any] = field(default_factory=dict)

    @property
    def is_away(self) -> bool:
        return AWAY[0] <= self.now < AWAY[1]

    def commit(self) -> None:
        self.history.commit()
        if self.history.revision % 3 == 0:
            self.history.compact()

    def restore(self) -> None:
        self.history = History(epoch=2, revision=self.history.revision - 2)

    def answer(self, ask: Ask) -> Answer | None:
        """The answer, or None if the writer would wait."""
        history, position = self.history, ask.position
        if ask.tag == history.tag:
            return None
        known = position is not None and history.oldest <= position.revision <= history.revision
        if position is None or not known:
            self.bundles += 1
            return FetchedBundle(self._made("bundle", history.base), f'"b{history.epoch}.{history.base}"', False)
        return FetchedUpdate(self._made("update", position.revision, history.revision), history.tag)

    def _made(self, kind: str, *revisions: int) -> Any:
        key = (kind, self.history.epoch, *revisions)
        if key not in self.made:
            if kind == "update":
                self.made[key] = self.history.update(revisions[0])
            else:
                self.made[key] = self.folder / f"{key}.bundle"
                self.made[key].write_bytes(self.history.bundle())
        return self.made[key]


class Agent:
    """A follower and its network. `now` is its clock: it stands still while the follower computes."""

    interval, name = 5.0, "`the writer`"

    def __init__(self, writer: Writer, random: Random):
        self._writer, self._random, self.now = writer, random, 0.0
        self._last: Answer | None = None
        self._until: float | None = None
        clocks = Clocks(lambda: NOW + self.now, lambda: self.now, "boot")
        self.follower = Follower(self, TRUSTED, clocks=clocks, random=random)

    def fetch(self, ask: Ask) -> Answer:
        writer, random = self._writer, self._random
        began, waited = self.now, self._until is not None
        self.now = writer.now
        if not waited and random.random() < DROPPED:
            self._arrive(random.uniform(0, LONGEST_DELAY))
            raise SourceError("the question was lost", is_away=True)
        writer.requests[int(writer.now)] += not waited
        if writer.is_away:
            self._until = None
            raise SourceError("the writer is away", is_away=True)
        answer = writer.answer(ask)
        if answer is None and not (waited and writer.now >= (self._until or 0.0)):
            if not waited:
                self._until = writer.now + ask.wait
            self.now = began
            raise Waits
        self._until = None
        self._arrive(random.uniform(0, LONGEST_DELAY))
        if random.random() < DROPPED:
            raise SourceError("the answer was lost", is_away=True)
        if self._last is not None and random.random() < REPEATED:
            return self._last
        self._last = answer or Unchanged(ask.tag)
        return self._last

    def _arrive(self, delay: float) -> None:
        self.now += delay

    def act(self, now: float) -> float | None:
        """Returns the time of the next step, or None if the writer holds the question."""
        if self._until is None:
            self.now = now
        try:
            pause = self.follower.step()
        except Waits:
            return None
        return self.now + pause

    @property
    def until(self) -> float:
        """When the writer answers, if nothing changes."""
        assert self._until is not None
        return self._until

    def interrupt(self) -> None: ...
    def close(self) -> None: ...


TRUSTED = Remembering(TRUST.environment, TRUST.keys)


def light(bundle: Bundle, *_: Any) -> FollowedBundle:
    """A bundle under a number instead of an engine."""
    position = position_in(bundle)
    return FollowedBundle(Engine((position.epoch, position.revision)), position, position.revision)  # type: ignore[arg-type]


def simulate(writer: Writer, agents: list[Agent], random: Random) -> None:
    """Let everything happen in the order of its time. The numbers of agents stand for agents."""
    commit, restore, wake = -1, -2, -3
    events = [(random.uniform(0, START), number, 0) for number in range(len(agents))]
    events += [(at, commit, 0) for at in COMMITS] + [(RESTORED, restore, 0), (AWAY[0], wake, 0)]
    heapq.heapify(events)
    turns, waiting = [0] * len(agents), set[int]()
    while events and events[0][0] < END:
        writer.now, number, turn = heapq.heappop(events)
        if number >= 0:
            if turn == turns[number]:
                turns[number] += 1
                at = agents[number].act(writer.now)
                waiting.add(number) if at is None else waiting.discard(number)
                heapq.heappush(events, (agents[number].until if at is None else at, number, turns[number]))
            continue
        if number == commit:
            writer.commit()
        elif number == restore:
            writer.restore()
        for one in sorted(waiting):  # the writer answers all of them
            heapq.heappush(events, (writer.now, one, turns[one]))


def test_every_agent_ends_at_the_newest_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None ever goes back, and the load on the writer is bounded."""
    monkeypatch.setattr("writ.api.agent.follower.followed_bundle_from", light)
    monkeypatch.setattr(logging.getLogger(LOG), "disabled", True)  # a line for each lost message
    random, writer = Random(14), Writer(tmp_path)
    agents = [Agent(writer, Random(number)) for number in range(AGENTS)]
    simulate(writer, agents, random)
    newest = writer.history.epoch, writer.history.revision
    ends = Counter(agent.follower.engine.age for agent in agents)  # type: ignore[union-attr]
    assert ends == {newest: AGENTS}
    assert {agent.follower.status().state for agent in agents} <= {"following", "behind"}
    # A bundle at the start and one after the restore, and some once more because an answer was lost.
    assert 2 * AGENTS <= writer.bundles < 2.3 * AGENTS
    # Every change is two questions, those that the network lost are some more, and so is one in half a minute.
    changes, while_away = len(COMMITS) + 3, AWAY[1] - AWAY[0]
    assert sum(writer.requests.values()) < AGENTS * (2 * changes + END / 30 + while_away)
    # While the writer is away, each asks once in one to two seconds. So all do within two seconds of its return.
    away = [writer.requests[second] for second in range(int(AWAY[0]), int(AWAY[1]))]
    assert max(away) < AGENTS
    assert AGENTS * 0.9 < sum(writer.requests[int(AWAY[1]) + second] for second in range(2)) < AGENTS * 2
    assert max(writer.requests.values()) < 3 * AGENTS
