"""Carries out promotions in a process of its own, since comparing large policy models would delay decisions.

`python -m writ.api.endpoints.management.promotions.takeover_process DIRECTORY` reads the request as JSON from its
standard input, and writes the outcome as JSON to its standard output.
"""

import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Final, Literal

import msgspec

from ....engines.live.fair_turns import FairTurns
from ....engines.live.own_process import own_process
from ....http.caller import CALLER
from ....store.actor import Actor
from ....store.errors import Refusal, StoreUnavailable
from ....store.promotions.promotion import Preview, Promotion, Wanted
from ....store.promotions.promotions import Promotions
from ....store.store import Store
from ..refusals import Refused, outcome_of, refused

AT_ONCE: Final = 1
"""Promotions that one worker carries out at a time."""

_ENDED_EARLY: Final = (
    "the process that promotes ended early; look at the promotions whether it is in force, and check"
    " whether the machine has enough memory"
)


class TakeoverRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """What to do in the environment `env`, on behalf of `actor`.

    `revision` is the one to restore, or None to promote `wanted.source`. `administers` says whether the actor is an
    admin. `approves` is the id of a promotion to
    approve, whose digest `wanted.expect_digest` is.
    """

    env: str
    actor: Actor
    wanted: Wanted
    dry_run: bool = False
    revision: int | None = None
    administers: bool = True
    approves: str | None = None


class _Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """The outcome: the answer as JSON and the status of the promotion, or why there is none."""

    answer: msgspec.Raw = msgspec.Raw(b"null")
    status: Literal["pending", "done", "rejected", "previewed"] = "previewed"
    id: str = ""
    refused: Refused | None = None


class Answered(msgspec.Struct, frozen=True):
    """The answer as JSON, the status of the promotion or `previewed`, and its id."""

    text: bytes
    status: str
    id: str


class Takeovers:
    """Starts the processes, from the event loop of one worker. `directory` is the data directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._turns = FairTurns(AT_ONCE)

    async def run(self, request: TakeoverRequest) -> Answered:
        """Does what is asked for. Raises what the method of `Promotions` raises, and StoreUnavailable."""
        who = CALLER.get()
        await self._turns.take(who)
        try:
            module = "writ.api.endpoints.management.promotions.takeover_process"
            process = await own_process(module, str(self._directory), stdin=PIPE, stdout=PIPE, niceness=0)
            said, _ = await process.communicate(msgspec.json.encode(request))
        finally:
            self._turns.give_back(who)
        outcome = outcome_of(said, _Outcome, _ENDED_EARLY)
        return Answered(bytes(outcome.answer), outcome.status, outcome.id)


def main(directory: Path, request: TakeoverRequest) -> _Outcome:
    """Does what is asked for."""
    try:
        done = _done(Store.open(directory, create=False).promotions, request)
    except (Refusal, StoreUnavailable) as ex:
        return _Outcome(refused=refused(ex))
    text = msgspec.Raw(msgspec.json.encode(done))
    return _Outcome(text) if isinstance(done, Preview) else _Outcome(text, done.status, done.id)


def _done(promotions: Promotions, request: TakeoverRequest) -> Preview | Promotion:
    env, actor, wanted = request.env, request.actor, request.wanted
    if request.approves is not None:
        return promotions.approve(env, actor, request.approves, wanted.expect_digest)
    if request.revision is None:
        return promotions.preview(env, actor, wanted) if request.dry_run else promotions.promote(env, actor, wanted)
    if request.dry_run:
        return promotions.preview_restoration(env, actor, request.revision, wanted)
    return promotions.restore(env, actor, request.revision, wanted, request.administers)


if __name__ == "__main__":
    outcome = main(Path(sys.argv[1]), msgspec.json.decode(sys.stdin.buffer.read(), type=TakeoverRequest))
    sys.stdout.buffer.write(msgspec.json.encode(outcome))
