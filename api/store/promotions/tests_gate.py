"""The gate of promotions: in an environment whose tests must pass, its stored tests are run on what a promotion brings.

Restorations have no such gate: they are the way back in an emergency, to policies that were in force.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from ....bundles.wording import quoted
from ....compiler.model.elements import Model
from ..database.connection import Connection
from ..environments import Environment
from ..errors import Conflict
from ..models.model_pairs import ModelPair
from ..policy_tests import policy_tests_of
from .policy_replacement import PolicyReplacement


class Failing(NamedTuple):
    """The names of tests that fail or were not run, and in words, how many are answered wrongly in which way, or ""."""

    names: tuple[str, ...]
    effects: str = ""


Gate: TypeAlias = Callable[[Model, Sequence[bytes]], Failing]
"""Runs stored tests, as JSON, on a model."""

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
    failing: Failing


def to_test(db: Connection, takeover: PolicyReplacement) -> Waiting | None:
    """Returns the tests to run for a takeover, or None if its target has no gate."""
    if not takeover.target.tests_must_pass or takeover.is_restoration:
        return None
    tests = tuple(policy_tests_of(db, takeover.target))
    return Waiting(takeover.target, takeover.after.digest, takeover.models(), tests)


def run_gate(waiting: Waiting | None, gate: Gate | None) -> Tested | None:
    """Returns the outcome, or None without a gate. It takes long, so no transaction is open meanwhile."""
    if waiting is None or gate is None or waiting.models is None:
        return None
    return Tested(waiting.target, waiting.digest, waiting.tests, gate(waiting.models.after, waiting.tests))


def is_open(db: Connection, takeover: PolicyReplacement, tested: Tested | None) -> bool:
    """Returns whether a takeover needs no tests, or these were run on exactly this state."""
    if not takeover.target.tests_must_pass or takeover.is_restoration:
        return True
    return (
        tested is not None
        and (tested.target, tested.digest) == (takeover.target, takeover.after.digest)
        and tested.tests == tuple(policy_tests_of(db, takeover.target))
    )


def refuse_failing(db: Connection, takeover: PolicyReplacement, tested: Tested | None) -> None:
    """Raises Conflict if tests fail, or if they were not run on exactly this state."""
    if not is_open(db, takeover, tested):
        raise Conflict(f"`{takeover.target.id}` was changed while its stored tests ran; ask again")
    if tested is not None and tested.failing.names:
        failing, effects = tested.failing
        names = ", ".join(map(quoted, failing[:NAMED_TESTS]))
        more = f" and {len(failing) - NAMED_TESTS} more" if len(failing) > NAMED_TESTS else ""
        told = f" ({effects})" if effects else ""
        raise Conflict(
            f"stored tests of `{takeover.target.id}`, which must pass, fail on what the promotion brings{told}: "
            f"{names}{more}"
        )
