"""Finds the warnings about a stored model in a process of its own, since that would delay decisions.

`python -m writ.api.endpoints.insight.linting DIRECTORY` reads the request as JSON from its standard input, and writes
the outcome as JSON to its standard output.
"""

import sys
from asyncio.subprocess import PIPE
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

import msgspec

from ....compiler.limits import DEFAULTS
from ....compiler.lint_model import ModelWarning, lint_model
from ...engines.live.fair_turns import FairTurns
from ...engines.live.own_process import own_process
from ...http.caller import CALLER
from ...store.elements.kinds import KINDS
from ...store.errors import Refusal, StoreUnavailable
from ...store.store import Store
from ..management.management_shapes import Count
from ..management.refusals import Refused, outcome_of, refused

AT_ONCE: Final = 1
"""Models that one worker looks at, at a time. Each is read into memory, but for its subjects."""

MOST_WARNINGS: Final = 1_000
"""The warnings of an answer."""

_LIMITS: Final = replace(DEFAULTS, diagnostics=MOST_WARNINGS)

_ENDED_EARLY: Final = "the process that looks for warnings ended early; check whether the machine has enough memory"


class LintRequest(msgspec.Struct, frozen=True):
    """The environment whose model to look at, and the instant in epoch seconds for which things have expired.

    `uuid` is that of the environment: another one may have got its id meanwhile.
    """

    env: str
    uuid: str
    now: float


class FoundWarning(msgspec.Struct, frozen=True):
    """A warning of `writ check` about a stored model.

    `kind` is the list of the element. `key` names the element by the members of its key, or is null if the warning is
    about the whole list. `path` starts at the element, or else at the list. `help` may be empty.
    """

    code: str
    severity: Literal["warning"]
    message: str
    kind: str
    key: dict[str, str] | None
    path: str
    help: str


class LintsAnswer(msgspec.Struct, frozen=True):
    """The warnings about the model at a revision. `truncated` says whether there are more."""

    revision: Count
    items: tuple[FoundWarning, ...]
    truncated: bool


class _Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """The warnings as JSON, with the epoch and the revision that they are of; or why there are none."""

    answer: msgspec.Raw = msgspec.Raw(b"null")
    revision: int = 0
    epoch: int = 0
    refused: Refused | None = None


class FoundLints(msgspec.Struct, frozen=True):
    """The answer as JSON, and the epoch and revision that it is of."""

    text: bytes
    epoch: int
    revision: int


class Linter:
    """Starts the processes, from the event loop of one worker. `directory` is the data directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._turns = FairTurns(AT_ONCE)

    async def lints(self, request: LintRequest) -> FoundLints:
        """Returns the warnings about the newest model. Raises NotFound, StoreUnavailable."""
        who = CALLER.get()
        await self._turns.take(who)
        try:
            said = await self._run(request)
        finally:
            self._turns.give_back(who)
        outcome = outcome_of(said, _Outcome, _ENDED_EARLY)
        return FoundLints(bytes(outcome.answer), outcome.epoch, outcome.revision)

    async def _run(self, request: LintRequest) -> bytes:
        """Returns what the process says. It ends if nobody waits for it any more."""
        process = await own_process("writ.api.endpoints.insight.linting", str(self._directory), stdin=PIPE, stdout=PIPE)
        try:
            said, _ = await process.communicate(msgspec.json.encode(request))
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):  # it ended just now
                    process.kill()
        return said


def main(directory: Path, request: LintRequest) -> _Outcome:
    """Finds the warnings."""
    try:
        store = Store.open(directory, create=False)
        environment, model = store.insight.linted_model(request.env, request.uuid)
    except (Refusal, StoreUnavailable) as ex:
        return _Outcome(refused=refused(ex))
    found = lint_model(model, request.now, _LIMITS)
    answer = LintsAnswer(environment.revision, tuple(map(_shown, found.listed)), found.unlisted > 0)
    return _Outcome(msgspec.Raw(msgspec.json.encode(answer)), environment.revision, environment.epoch)


def _shown(found: ModelWarning) -> FoundWarning:
    kind, key = KINDS[found.kind], None
    if found.element is not None:
        key = dict(zip(kind.key, kind.key_of(found.element), strict=True))
    return FoundWarning(found.code, "warning", found.message, str(found.kind), key, found.path, found.help)


if __name__ == "__main__":
    outcome = main(Path(sys.argv[1]), msgspec.json.decode(sys.stdin.buffer.read(), type=LintRequest))
    sys.stdout.buffer.write(msgspec.json.encode(outcome))
