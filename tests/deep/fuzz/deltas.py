"""Deltas: bytes are refused, or are a delta that is written back as it is; it is refused as a whole, or put in force.

The first byte chooses the model that the delta is applied to.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
from writ.bundles.delta import Delta, decode_delta, encode_delta
from writ.bundles.errors import BundleError
from writ.runtime import BadRequest, Engine

from tests.deep.fuzz.targets import Law
from tests.support.bundling import compiled, engine_for
from tests.support.deltas import delta_between
from tests.support.hostile import damaged
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request

MODELS: Final = 6
_CASES: Final = [seeded_case(seed) for seed in range(MODELS)]
_QUESTIONS: Final = [[request(Pick.seeded(seed), model) for seed in range(6)] for model, _, _ in _CASES]


def starts() -> Iterator[bytes]:
    """The delta from each model to the next."""
    for number, (model, _, _) in enumerate(_CASES):
        for step in (1, 2):
            other = _CASES[(number + step) % MODELS][0]
            yield bytes([number]) + encode_delta(delta_between(compiled(model), compiled(other), 1))


def mutated(pick: Pick, data: bytes) -> bytes:
    """The delta with faults in its fields."""
    try:
        found = msgspec.msgpack.decode(data[1:])
        return data[:1] + msgspec.msgpack.encode(_textual(damaged(pick, found, sendable=True)))
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
        return data


def _textual(value: Any) -> Any:
    """The value without texts that no UTF-8 can carry."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_textual(one) for one in value]
    if isinstance(value, dict):
        return {_textual(name): _textual(one) for name, one in value.items()}
    return value


def law(folder: Path) -> Law:
    """See the module."""
    engines = [engine_for(model, folder / f"{number}.bundle") for number, (model, _, _) in enumerate(_CASES)]

    def holds(data: bytes) -> None:
        number = data[0] % MODELS if data else 0
        try:
            delta = decode_delta(data[1:])
        except BundleError:
            return
        assert encode_delta(decode_delta(encode_delta(delta))) == encode_delta(delta)
        _check(engines[number].pinned(), number, delta)

    return holds


def _check(engine: Engine, number: int, delta: Delta) -> None:
    questions, now = _QUESTIONS[number], _CASES[number][2]
    before = [engine.decide(one, now) for one in questions]
    try:
        engine.apply_deltas([msgspec.structs.replace(delta, revision=engine.revision + 1)])
    except BundleError:
        assert [engine.decide(one, now) for one in questions] == before, "a refused delta changed an answer"
        return
    for one in questions:
        with suppress(BundleError):
            engine.decide({**one, "options": {"explain": True}}, now)
        with suppress(BundleError, BadRequest):
            engine.filter(one, now)
        with suppress(BundleError):
            len(engine.routes)
