"""The effects of changed answers on callers: flips of the decision come first, changes of the reason last."""

from collections.abc import Mapping
from enum import Enum
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import astuple

Count = Annotated[int, Meta(ge=0)]


class Effect(Enum):
    """The effect of a change on a request, with its words. Those that a reviewer has to see come first."""

    ALLOWED = "now allowed"
    DENIED = "now denied"
    FILTER = "with another filter"
    REASON = "with another reason alone"

    @property
    def rank(self) -> int:
        """Its place: effects that a reviewer has to see have lower ones."""
        return _RANKS[self]


_RANKS = {effect: rank for rank, effect in enumerate(Effect)}


class EffectCounts(Struct, frozen=True):
    """The changed answers by their effects: flips of decisions, other filters, and other reasons alone."""

    now_allowed: Count
    now_denied: Count
    other_filter: Count
    other_reason: Count


def decision_effect(before: bool | None, after: bool | None) -> Effect:
    """Returns the effect of a changed answer by its decisions. None is a refusal, which allows nothing.

    >>> decision_effect(None, True), decision_effect(False, None)
    (<Effect.ALLOWED: 'now allowed'>, <Effect.REASON: 'with another reason alone'>)
    """
    if bool(before) == bool(after):
        return Effect.REASON
    return Effect.ALLOWED if after else Effect.DENIED


def effect_counts(counts: Mapping[Effect, int]) -> EffectCounts:
    """Returns counts by effect as an answer has them."""
    return EffectCounts(*(counts.get(effect, 0) for effect in Effect))


def effect_words(counts: Mapping[Effect, int]) -> str:
    """Returns counts by effect in words, or "" if all are 0.

    >>> effect_words({Effect.REASON: 2, Effect.DENIED: 1})
    '1 now denied, 2 with another reason alone'
    """
    return ", ".join(f"{counts[effect]:,} {effect.value}" for effect in Effect if counts.get(effect))


def words_of_counts(counts: EffectCounts) -> str:
    """Returns the counts of an answer in words, or "" if all are 0.

    >>> words_of_counts(EffectCounts(now_allowed=0, now_denied=1, other_filter=0, other_reason=2))
    '1 now denied, 2 with another reason alone'
    """
    return effect_words(dict(zip(Effect, astuple(counts), strict=True)))
