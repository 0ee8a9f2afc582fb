"""Compares an answer with what a test expects: the expected members, and nothing else."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ....bundles.conditions.constants import canonical_key
from ....bundles.conditions.trees.same_meaning import same_meaning
from ....bundles.conditions.values import Json
from ....runtime.translate.read_tree import read_tree
from .shapes import TOP_MEMBERS

ABSENT: Final = "(none)"
"""The text for a member that an answer does not have."""


class Mismatch(NamedTuple):
    """A member that is not as expected. `got` is None if the answer does not have it."""

    member: str
    expected: Json
    got: Json


def mismatches(expected: Mapping[str, Json], answer: Mapping[str, Any]) -> Iterator[Mismatch]:
    """Yields the members of an answer that are not as expected.

    A member that the answer itself does not have is one of its `context`. Objects may have more members than expected.
    A filter must have the same meaning.

    >>> answer = {"decision": True, "context": {"reason_code": "ALLOWED", "policy_id": "p"}}
    >>> list(mismatches({"decision": True, "policy_id": "q"}, answer))
    [Mismatch(member='policy_id', expected='q', got='p')]
    """
    for name, wanted in expected.items():
        got = answer.get(name) if name in TOP_MEMBERS else answer["context"].get(name)
        if name == "filter" and isinstance(got, dict):
            if not same_meaning(read_tree(wanted), read_tree(got)):
                yield Mismatch(name, wanted, got)
        else:
            yield from _differences(name, wanted, got)


def _differences(member: str, wanted: Json, got: Json) -> Iterator[Mismatch]:
    if isinstance(wanted, dict) and isinstance(got, dict):
        for name, inner in wanted.items():
            yield from _differences(f"{member}.{name}", inner, got.get(name))
    elif isinstance(wanted, list | tuple) and isinstance(got, list) and len(wanted) == len(got):
        for number, inner in enumerate(wanted):
            yield from _differences(f"{member}[{number}]", inner, got[number])
    elif not _is_same(wanted, got):
        yield Mismatch(member, wanted, got)


def _is_same(wanted: Json, got: Json) -> bool:
    """Returns whether two values are the same JSON (C3). A null stands for an absent member."""
    if wanted is None or got is None:
        return wanted is got
    return canonical_key(wanted) == canonical_key(got)
