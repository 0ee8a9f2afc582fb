"""Answers who can do an action: regions with their conditions, and never an empty list without a reason."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec
from msgspec import Struct

from ....bundles import zones
from ....bundles.conditions.gates import ADDRESS, INSTANT
from ....bundles.conditions.instants import show_seconds
from ....bundles.conditions.trees.tree import leaves
from ....bundles.file.in_memory import bundle_in_memory
from ....compiler.analysis.asking.question import Question
from ....compiler.analysis.asking.who_can import who_can
from ....compiler.analysis.conditions.variables import RATE, is_attribute, is_now, is_reference, is_week, parts
from ....compiler.analysis.models.model_side import model_side
from ....compiler.analysis.models.sides import Side
from ....compiler.analysis.witnesses.witness import Judge
from ....compiler.compile import compile_model
from ....compiler.model.elements import Model
from ....runtime import Engine, RateCounters
from ....runtime.searches.sources import RATE_LIMIT
from ..people.compared_models import judge_of
from ..testing.tested_model import COUNTER_BYTES
from ..wording.shown_regions import ShownRegion, ShownUnknown, shown_region, shown_unknown

NO_SUBJECT: Final = "no subject can, whatever else a request sends"
NOT_REGISTERED: Final = "the resource is not registered, and its type is closed"


class WhoCan(Struct, frozen=True):
    """The subjects that can do an action: each of the `regions` has the same conditions, at the instant `now`.

    `left_open` names what their conditions read, such as `resource.status`: the question did not say it. It has
    `rate_limit` if one hangs on a rate limit. If there is no region, and nothing is unknown, `reason` says why.
    """

    now: str
    regions: tuple[ShownRegion, ...]
    unknown: tuple[ShownUnknown, ...]
    left_open: tuple[str, ...]
    reason: str | None


def who_can_in(model: Model, question: Question, *, registered: bool) -> WhoCan:
    """Returns who can do what a question asks for in a model. With `registered`, the attributes of its resource count
    that the question does not send (E9).
    """
    compiled = compile_model(model, zones.zone_data, zones.VERSION)
    engine = Engine(bundle_in_memory(compiled.write))
    return answered(model_side(model, compiled), engine, question, registered=registered)


def nobody(question: Question, reason: str) -> WhoCan:
    """Returns the answer that no subject can do what a question asks for, with the reason."""
    return WhoCan(show_seconds(question.now), (), (), (), reason)


def answered(side: Side, engine: Engine, question: Question, *, registered: bool) -> WhoCan:
    """Returns who can do what a question asks for. `engine` decides by the same model as `side` has."""
    asked = _with_registered(side, question) if registered else question
    found = who_can(side, _judge(engine), asked, zones.installed_zone)
    regions = tuple(map(shown_region, found.gains))
    if question.resource is not None or question.resource_attributes:
        regions = tuple(_without_resources(one) for one in regions)
    return WhoCan(
        show_seconds(question.now),
        regions,
        tuple(map(shown_unknown, found.unknown)),
        tuple(sorted({name for region in found.gains for leaf in leaves(region.when) for name in _open(leaf.key)})),
        None if found.gains or found.unknown else _reason(side, engine, asked),
    )


def _judge(engine: Engine) -> Judge:
    """Returns a judge that decides each request as the first one: a rate limit counts as not reached (C10)."""

    def decide(request: dict[str, Any], now: float | None) -> dict[str, Any]:
        return engine.counting(RateCounters(COUNTER_BYTES)).decide(request, now)

    return judge_of(decide)


def _with_registered(side: Side, question: Question) -> Question:
    named = question.resource
    id = None if named is None else side.resource_id(question.resource_type, named)
    if id is None:
        return question
    attributes = side.resource_attributes.get(side.types[question.resource_type].id, {}).get(id, {})
    return replace(question, resource_attributes={**attributes, **question.resource_attributes})


def _without_resources(region: ShownRegion) -> ShownRegion:
    return msgspec.structs.replace(region, resources=None)


def _open(key: str) -> Iterator[str]:
    """Yields the members of a request that a variable reads, or `rate_limit`."""
    if key == RATE:
        yield RATE_LIMIT
    elif key == ADDRESS:
        yield "context.ip"
    elif key == INSTANT or is_week(key):
        yield "context.time"
    elif is_attribute(key) or is_now(key) or is_reference(key):
        named: Sequence[str] = parts(key) if is_attribute(key) else parts(key)[1:]
        yield f"{named[0].removesuffix('_attrs')}.{named[1]}"
        if is_reference(key):
            yield named[2]
        if is_now(key):
            yield "context.time"


def _reason(side: Side, engine: Engine, question: Question) -> str:
    """Returns why there is no region."""
    undeclared = engine.undeclared(*question.pair)
    if undeclared is not None:
        return undeclared
    type = side.types[question.resource_type]
    if question.resource is not None and type.closed:
        id = side.resource_id(question.resource_type, question.resource)
        if id not in side.registered.get(type.id, ()):
            return NOT_REGISTERED
    return NO_SUBJECT
