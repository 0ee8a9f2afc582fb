"""The gate of promotions: in an environment whose tests must pass, its stored tests are run on what a promotion brings.

Restorations have no such gate: they are the way back in an emergency, to policies that were in force.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from sqlite_utils import Database

from ....bundles.wording import quoted
from ....compiler.model.elements import Model
from ..environments import Environment
from ..errors import Conflict
from ..models.model_pairs import ModelPair
from ..policy_tests import policy_tests_of
from .policy_replacement import PolicyReplacement

Gate: TypeAlias = Callable[[Model, Sequence[bytes]], Sequence[str]]
"""Runs stored tests, as JSON, on a model. Returns the names of those that fail or were not run."""

NAMED_TESTS: Final = 20
"""The failing tests that a refusal names."""


class Waiting(NamedTuple):
    """A takeover whose tests are still to run: the target's state, the digest, both models, and the tests."""

    target: Environment
    digest: str
    models: ModelPair | None
    tests: tuple[bytes, ...]


class Tested(NamedTuple):
    """The tests that were run for a takeover of a digest in a state of the target, and those that fail."""

    target: Environment
    digest: str
    tests: tuple[bytes, ...]
    failing: tuple[str, ...]


def to_test(db: Database, takeover: PolicyReplacement) -> Waiting | None:
    """Returns the tests to run for a takeover, or None if its target has no gate."""
    if not takeover.target.tests_must_pass or takeover.is_restoration:
        return None
    tests = tuple(policy_tests_of(db, takeover.target))
    return Waiting(takeover.target, takeover.after.digest, takeover.models(), tests)


def run_gate(waiting: Waiting | None, gate: Gate | None) -> Tested | None:
    """Returns the outcome, or None without a gate. It takes long, so no transaction is open meanwhile."""
    if waiting is None or gate is None or waiting.models is None:
        return None
    failing = tuple(gate(waiting.models.after, waiting.tests))
    return Tested(waiting.target, waiting.digest, waiting.tests, failing)


def is_open(db: Database, takeover: PolicyReplacement, tested: Tested | None) -> bool:
    """Returns whether a takeover needs no tests, or these were run on exactly this state."""
    if not takeover.target.tests_must_pass or takeover.is_restoration:
        return True
    return (
        tested is not None
        and (tested.target, tested.digest) == (takeover.target, takeover.after.digest)
        and tested.tests == tuple(policy_tests_of(db, takeover.target))
    )


def refuse_failing(db: Database, takeover: PolicyReplacement, tested: Tested | None) -> None:
    """Raises Conflict if tests fail, or if they were not run on exactly this state."""
    if not is_open(db, takeover, tested):
        raise Conflict(f"`{takeover.target.id}` was changed while its stored tests ran; ask again")
    if tested is not None and tested.failing:
        count, names = len(tested.failing), ", ".join(map(quoted, tested.failing[:NAMED_TESTS]))
        more = f" and {count - NAMED_TESTS} more" if count > NAMED_TESTS else ""
        raise Conflict(
            f"stored tests of `{takeover.target.id}`, which must pass, fail on what the promotion brings: {names}{more}"
        )
