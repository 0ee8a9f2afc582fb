"""Bodies of evaluations, searches and filters: a body is refused, or has the oracle's answer; nothing else is raised.

The first byte chooses the model and the call, the others are the body as HTTP brings it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from writ.api.http.bodies import Bodies
from writ.api.http.rejections import BodyRejected
from writ.api.settings.settings import HttpLimits
from writ.runtime import BadRequest, Engine, SearchUnavailable
from writ.runtime.requests.searches import read_action_search, read_resource_search, read_subject_search

from tests.deep.fuzz.targets import Law
from tests.deep.laws import decide, search
from tests.support.bundling import engine_for
from tests.support.hostile import damaged
from tests.support.oracle_entities import question
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request

MODELS: Final = 8
CALLS: Final = 5
_BODIES: Final = Bodies(HttpLimits())
_CASES: Final = [seeded_case(seed) for seed in range(MODELS)]
_REFUSED: Final = (BadRequest, SearchUnavailable)
_MALFORMED: Final = (LookupError, TypeError, ValueError, AttributeError, StopIteration)
"""What the oracle raises for a request that is no valid evaluation. It checks none."""


def starts() -> Iterator[bytes]:
    """A request to each model, for each call, and one with each option."""
    for number, (_, asked, _) in enumerate(_CASES):
        body = json.dumps(asked).encode()
        yield from (bytes([number * CALLS + call]) + body for call in range(CALLS))
    for options in (
        {"explain": True},
        {"valid_until": True},
        {"return": "filter", "gates": "decide"},
        {"strict": True},
    ):
        yield b"\x00" + json.dumps(_CASES[0][1] | {"options": options}).encode()


def mutated(pick: Pick, data: bytes) -> bytes:
    """Another request to the model, or the same one with faults in its members."""
    head = data[:1] if pick.chance(3, 4) else bytes([pick.number(0, MODELS * CALLS - 1)])
    try:
        body = json.loads(data[1:])
    except (ValueError, RecursionError):
        body = None
    if body is None or pick.chance(1, 4):
        body = request(pick, _CASES[(head or b"\x00")[0] // CALLS % MODELS][0])
    return head + json.dumps(damaged(pick, body, sendable=True)).encode()


def law(folder: Path) -> Law:
    """See the module."""
    engines = [engine_for(model, folder / f"{number}.bundle") for number, (model, _, _) in enumerate(_CASES)]

    def holds(data: bytes) -> None:
        if not data:
            return
        number, call = divmod(data[0], CALLS)
        model, _, now = _CASES[number % MODELS]
        try:
            body = _BODIES.decoded(data[1:])
        except BodyRejected:
            return
        _check(engines[number % MODELS], model, body, now, call)

    return holds


def _check(engine: Engine, model: dict[str, Any], body: dict[str, Any], now: float, call: int) -> None:
    try:
        if call == 0:
            engine.decide(body, now)
        elif call == 1:
            engine.filter(body, now)
        elif call == 2:
            engine.judge_resources(read_resource_search(body), now)
        elif call == 3:
            engine.judge_subjects(read_subject_search(body), now)
        else:
            engine.find_actions(read_action_search(body), now)
    except _REFUSED:
        return
    plain = {name: value for name, value in body.items() if name != "options"}
    if _is_evaluation(engine, model, plain, now):
        (decide if call == 0 else search)(engine, model, plain, now)


def _is_evaluation(engine: Engine, model: dict[str, Any], plain: dict[str, Any], now: float) -> bool:
    """Returns whether a body without options is an evaluation: a search may leave out what it searches for."""
    try:
        engine.decide(plain, now)
    except BadRequest:
        return False
    try:
        question(model, plain, now)
    except _MALFORMED as ex:
        raise AssertionError(f"the engine answers what the oracle can't read: {ex!r}") from ex
    return True
