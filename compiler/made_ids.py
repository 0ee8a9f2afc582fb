"""Ids for grants and assignments that bring none: UUIDv5 (RFC 9562) over what they say, so that equal models agree."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import sha1
from typing import TypeVar
from uuid import UUID

import msgspec
from msgspec.structs import replace

from bundles.conditions.instants import parse_instant
from compiler.model import Assignment, Grant, Model

NAMESPACE = UUID("5d0f9a0e-6a0b-5c3f-9d53-6f2f0f6e4b1a")
"""The namespace of all ids made here."""

_REMEMBERED_INSTANTS = 4_096

Stated = TypeVar("Stated", Grant, Assignment)


def with_ids(model: Model) -> Model:
    """The checked model with an id on every grant and assignment; those that have one keep it.

    What is stated again gets an id over its content and the number of the repetition, so that the order of a list
    does not matter.
    """
    return replace(
        model,
        grants=tuple(_with_ids(model.grants, _grant_content)),
        assignments=tuple(_with_ids(model.assignments, _assignment_content)),
    )


def _with_ids(elements: tuple[Stated, ...], content: Callable[[Stated], bytes]) -> Iterator[Stated]:
    taken = {element.id for element in elements if element.id is not None}
    repetitions: dict[str, int] = {}
    for element in elements:
        if element.id is None:
            stated = content(element)
            made = first = _uuid5(stated)
            while made in taken:
                repetitions[first] = repetitions.get(first, 1) + 1
                made = _uuid5(b"%s %d" % (stated, repetitions[first]))
            taken.add(made)
            element = replace(element, id=made)
        yield element


def _uuid5(content: bytes) -> str:
    """PERF: `uuid.uuid5` gives the same in 2.5 µs, this takes 1.2 µs."""
    digest = sha1(NAMESPACE.bytes + content, usedforsecurity=False).hexdigest()
    variant = "89ab"[int(digest[16], 16) & 3]
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-{variant}{digest[17:20]}-{digest[20:32]}"


def _grant_content(grant: Grant) -> bytes:
    subject, resource = grant.subject, grant.resource
    actions = grant.actions if len(grant.actions) == 1 else tuple(sorted(set(grant.actions)))
    stated = ("grant", subject.type, subject.id, resource.type, resource.id, actions, _instant(grant.expires_at))
    return msgspec.json.encode(stated)


def _assignment_content(assignment: Assignment) -> bytes:
    subject = assignment.subject and (assignment.subject.type, assignment.subject.id)
    stated = ("assignment", assignment.role, subject, assignment.group, _instant(assignment.expires_at))
    return msgspec.json.encode(stated)


@lru_cache(_REMEMBERED_INSTANTS)
def _instant(expires_at: str | None) -> float | None:
    """Equal for texts that name the same instant."""
    return None if expires_at is None else parse_instant(expires_at)
