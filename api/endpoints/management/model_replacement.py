"""Replaces a model in a process of its own, since reading and checking a large one would delay decisions.

`python -m writ.api.endpoints.management.model_replacement DIRECTORY REQUEST` takes the request as JSON and
reads the document from its standard input. It writes the outcome as JSON to its standard output.
"""

import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final, cast

import msgspec

from ....compiler.source import Source
from ...engines.live.fair_turns import FairTurns
from ...engines.live.own_process import own_process
from ...http.caller import CALLER
from ...http.rejections import Detail
from ...store.actor import Actor
from ...store.errors import ElementKey, Refusal, StoreUnavailable
from ...store.store import Store
from .management_shapes import Change, ElementChange, ListChanges, ModelChanges
from .refusals import Refused, outcome_of, refused

AT_ONCE: Final = 1
"""Models that one worker replaces at a time. Each needs several times its document's size in memory."""

_ENDED_EARLY: Final = "the process that replaces the model ended early; check whether the machine has enough memory"


class ReplacementRequest(msgspec.Struct, frozen=True):
    """What to replace: the model of `env`, on behalf of `actor`."""

    env: str
    actor: Actor
    ending: str
    dry_run: bool
    if_match: str | None = None


class _Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """The outcome: the changes, or why there are none."""

    changes: ModelChanges | None = None
    refused: Refused | None = None


class Replacer:
    """Starts the processes, from the event loop of one worker. `directory` is the data directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._turns = FairTurns(AT_ONCE)

    async def replace(
        self, request: ReplacementRequest, document: IO[bytes], confirm: Callable[[], None]
    ) -> ModelChanges:
        """Replaces the model with `document`. Calls `confirm` before it starts; `confirm` may raise.

        Raises:
            Rejected, NotFound, Conflict, OutOfBounds, PreconditionFailed, StoreUnavailable: see `Store.put_model`.
        """
        who = CALLER.get()
        await self._turns.take(who)
        try:
            confirm()
            said = await self._run(request, document)
        finally:
            self._turns.give_back(who)
        outcome = outcome_of(said, _Outcome, _ENDED_EARLY)
        assert outcome.changes is not None
        return outcome.changes

    async def _run(self, request: ReplacementRequest, document: IO[bytes]) -> bytes:
        text = msgspec.json.encode(request).decode()
        process = await own_process(
            "writ.api.endpoints.management.model_replacement", str(self.directory), text, stdin=document, stdout=PIPE
        )
        said, _ = await process.communicate()
        return said


def main(directory: Path, request: ReplacementRequest) -> _Outcome:
    """Replaces the model."""
    try:
        store = Store.open(directory, create=False)
        source = Source(f"model{request.ending}", sys.stdin.buffer.read())
        tags = None if request.if_match is None else (request.if_match,)
        done = store.put_model(request.env, request.actor, [source], request.dry_run, if_match=tags)
    except (Refusal, StoreUnavailable) as ex:
        return _Outcome(refused=refused(ex))
    counts = {name: ListChanges(**by_change) for name, by_change in done.changes.items()}
    elements = tuple(_shown(*one) for one in done.listed)
    warnings = tuple(Detail(one.code, one.path, one.sentence, *(one.place or ())) for one in done.warnings)
    return _Outcome(ModelChanges(done.revision, counts, elements, warnings, request.dry_run))


def _shown(kind: str, key: ElementKey, change: str) -> ElementChange:
    return ElementChange(kind, key[-1], cast(Change, change), key[0] if len(key) > 1 else None)


if __name__ == "__main__":
    outcome = main(Path(sys.argv[1]), msgspec.json.decode(sys.argv[2], type=ReplacementRequest))
    sys.stdout.buffer.write(msgspec.json.encode(outcome))
