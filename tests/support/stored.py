"""Stores for tests: documents put into a real store, and random edits of their elements."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from writ.api.store.actor import Actor
from writ.api.store.elements.edits import Create, Delete, Edit, Patch, Replace
from writ.api.store.elements.kinds import KINDS
from writ.api.store.errors import BadQuery, Refusal
from writ.api.store.store import Store
from writ.compiler import check_elements, load
from writ.compiler.model.elements import SINGLE_MEMBERS, ElementKind
from writ.compiler.model.single_members import element_of
from writ.compiler.source import Source

from tests.support.strategies_pick import Pick

Document = dict[str, Any]

ENV, ACTOR = "default", Actor("tester")


def source(document: Document) -> Source:
    """Returns a document as JSON."""
    return Source("model.json", json.dumps({"model": 1} | document).encode())


def put(store: Store, document: Document, env: str = ENV) -> None:
    """Replace a model."""
    store.put_model(env, ACTOR, [source(document)])


def put_as_an_earlier_writ(store: Store, document: Document, *less: Callable[..., object], env: str = ENV) -> None:
    """Replace a model with the checks of an earlier Writ: it lacks some of today's."""
    with pytest.MonkeyPatch.context() as patched:
        for module in (load, check_elements):
            patched.setattr(module, "CHECKS", tuple(one for one in module.CHECKS if one not in less))
        put(store, document, env)


def stored(store: Store, env: str = ENV) -> Document:
    """Returns the stored model, without `model`."""
    document = json.loads(b"".join(store.model(env)))
    assert document.pop("model") == 1
    return document


def write(store: Store, *edits: Edit) -> Any:
    """Write some edits."""
    return store.write(ENV, ACTOR, edits)


def deltas(store: Store, since: int) -> list[bytes] | None:
    """Returns the deltas from a revision to the newest, or None if they do not lead there."""
    updates = store.updates(ENV, since)
    return list(updates.deltas) if updates.are_complete else None


def random_edits(pick: Pick, here: Document, other: Document) -> list[Edit]:
    """Returns some edits that turn a stored model partly into another. The store may refuse some of them."""
    choices = [*_towards(here, other)]
    return pick.some(choices, 1, 4) if choices else []


def _towards(here: Document, other: Document) -> Iterator[Edit]:
    for name, kind in KINDS.items():
        if name in SINGLE_MEMBERS:
            yield from _single(name, here.get(name), other.get(name))
            continue
        present = {key_of(kind.key, element): element for element in here.get(name, ())}
        for element in other.get(name, ()):
            key = key_of(kind.key, element) if "id" in element else None
            if key not in present:
                yield Create(name, element)
                if name == ElementKind.ROUTES and present:
                    yield Create(name, element, before=next(iter(present))[0])
            elif present[key] != element:
                yield Replace(name, key, element)
                yield Patch(name, key, {member: value for member, value in element.items() if member != "id"})
        for key in present:
            if name == ElementKind.ROUTES:
                yield Replace(name, key, present[key], before=next(iter(present))[0])
            yield Delete(name, key)
            yield Delete(name, key, cascade=True)


def _single(name: ElementKind, here: Any, other: Any) -> Iterator[Edit]:
    if other is not None:
        yield Replace(name, (name,), element_of(name, other))
    if here is not None:
        yield Delete(name, (name,))


def key_of(names: Sequence[str], element: Document) -> tuple[str, ...]:
    """Returns the key of an element."""
    return tuple(element[name] for name in names)


def try_write(store: Store, edits: Sequence[Edit]) -> bool:
    """Write edits. Returns whether the store accepted them."""
    try:
        store.write(ENV, ACTOR, edits)
    except (Refusal, BadQuery):
        return False
    return True
