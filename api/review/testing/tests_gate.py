"""Runs the stored tests of an environment on a whole model: the gate of promotions, and what a preview says of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from ....compiler.model.elements import Model
from ...store.promotions.tests_gate import Failing
from ..effects import Effect, EffectCounts, effect_counts, effect_words
from .compiled_model import compiled_to_ask
from .outcome_report import Count, SetOutcome
from .set_runs import run_sets

MOST_NAMED: Final = 1_000
"""The failing tests that a preview names."""


class GateOutcome(Struct, frozen=True):
    """The stored tests of the target on what the promotion brings.

    `effects` counts the tests that fail by what is wrong: each by its worst failure, without those that could not ask.
    `failing` has the first 1,000, as `set: test`. Those whose decision is wrong come before those with another reason.
    """

    passed: Count
    failed: Count
    not_run: Count
    effects: EffectCounts
    failing: tuple[str, ...]


def gate_outcome(model: Model, texts: Sequence[bytes]) -> GateOutcome:
    """Returns how stored tests, as JSON, end on a model. Raises BundleError for a damaged model."""
    ran = _run(model, texts)
    passed, failed, not_run = (sum(getattr(one, name) for one in ran) for name in ("passed", "failed", "not_run"))
    return GateOutcome(passed, failed, not_run, effect_counts(_effects(ran)), tuple(_failing(ran))[:MOST_NAMED])


def failing_tests(model: Model, texts: Sequence[bytes]) -> Failing:
    """Returns the names of the stored tests that fail, and for each set the number of those that were not run."""
    ran = _run(model, texts)
    names = (*_failing(ran), *(f"{one.id}: {one.not_run} were not run" for one in ran if one.not_run))
    return Failing(names, effect_words(_effects(ran)))


def _effects(ran: Sequence[SetOutcome]) -> Counter[Effect]:
    effects = (test.effect for one in ran for test in one.tests if not test.passed)
    return Counter(effect for effect in effects if effect is not None)


def _run(model: Model, texts: Sequence[bytes]) -> tuple[SetOutcome, ...]:
    _, tested = compiled_to_ask(model)
    return run_sets(texts, tested, lambda: False)


def _failing(ran: Sequence[SetOutcome]) -> Iterator[str]:
    failing = [(one, test) for one in ran for test in one.tests if not test.passed]
    failing.sort(key=lambda found: (not found[1].is_decided_wrongly, found[1].effect is Effect.REASON))
    yield from (f"{one.id}: {test.name}" for one, test in failing)
