"""A follower under test, with clocks that a test moves, and a source without a network."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from writ.api.agent.follower import Follower
from writ.api.agent.freshness import Clocks
from writ.api.agent.sources.bundle_source import (
    Answer,
    Ask,
    BundleSource,
    FetchedBundle,
    FetchedUpdate,
    SourceError,
    Unchanged,
)
from writ.api.agent.state.directory import StateDirectory
from writ.api.agent.trust import Trust
from writ.bundles.feed.position import Position

from tests.support.feed import History
from tests.support.signed import KEY, NOW, PROD, public_pem

TRUST = Trust(PROD.uuid, (public_pem(KEY),))


@dataclass
class Time:
    """The clocks of a machine. `advance` moves both, and a jump moves only `wall`."""

    wall: float = NOW
    steady: float = 1_000.0
    boot: str = "boot-1"

    def advance(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    @property
    def clocks(self) -> Clocks:
        return Clocks(lambda: self.wall, lambda: self.steady, self.boot)


@dataclass
class Direct:
    """A source that answers from a history. `fault` changes an answer, raises, or passes it on."""

    history: History
    name: str = "`the source`"
    interval: float = 5.0
    fault: Callable[[Ask, Answer], Answer] | None = None
    asked: list[Ask] = field(default_factory=list)

    def fetch(self, ask: Ask) -> Answer:
        self.asked.append(ask)
        answer = self._answer(ask)
        if self.fault is None:
            return answer
        found: Answer | None = None
        try:
            found = self.fault(ask, answer)
        finally:
            if isinstance(answer, FetchedBundle) and found is not answer:
                answer.path.unlink()
        return found

    def _answer(self, ask: Ask) -> Answer:
        history = self.history
        if ask.tag == history.tag:
            return Unchanged(history.tag)
        if ask.position is not None and history.oldest <= ask.position.revision <= history.revision:
            return FetchedUpdate(history.update(ask.position.revision), history.tag)
        return bundle_answer(ask, history.bundle(), f'"b{history.base}"')

    def interrupt(self) -> None: ...
    def close(self) -> None: ...


def bundle_answer(ask: Ask, content: bytes, tag: str = '"b"') -> FetchedBundle:
    """An answer with a bundle in a temporary file."""
    path = ask.folder / f".{secrets.token_hex(8)}.unfinished"
    path.write_bytes(content)
    return FetchedBundle(path, tag)


def down(_ask: Ask, answer: Answer) -> Answer:
    """The fault of a source that can't be reached."""
    raise SourceError("`the source` gave no answer", is_away=True)


def follower(source: BundleSource, time: Time, folder: Path | None, trust: Trust = TRUST, **options: Any) -> Follower:
    """A follower with a fixed set of choices, on a state directory if there is a folder."""
    state = None if folder is None else StateDirectory(folder)
    made = Follower(source, trust, state, clocks=time.clocks, **{"random": Random(1), **options})
    made.open()
    return made


def stepped(one: Follower, time: Time, steps: int = 1) -> None:
    """Let a follower take some steps, with the pauses that it wants."""
    for _ in range(steps):
        time.advance(one.step())


def at(revision: int, history: History, base: int | None = None) -> Position:
    """The position of a revision on top of a bundle."""
    base = history.base if base is None else base
    return Position(history.environment.uuid, history.epoch, revision, history.manifest(base))
