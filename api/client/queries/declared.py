"""The attributes that a model declares for a resource type, as an engine or a service knows them."""

import time
from collections.abc import Iterable, Mapping
from inspect import iscoroutine
from typing import Any, Final
from weakref import WeakKeyDictionary

from ..bundles.declarations.declarations import Declarations
from ..bundles.wording import show_path
from ..runtime.requests.members import BadRequest
from .refusal import QueryRefused

KEPT_SECONDS: Final = 60.0
"""The time for which the answer of a service counts."""

_UNDECLARED: Final = "undeclared-attribute"
_Key = tuple[str, tuple[str, ...]]
_read: "WeakKeyDictionary[Any, tuple[Any, Declarations]]" = WeakKeyDictionary()
_asked: "WeakKeyDictionary[Any, dict[_Key, tuple[float, tuple[str, ...]]]]" = WeakKeyDictionary()


def declared_attributes(pdp: Any, resource_type: str, names: Iterable[str]) -> tuple[str, ...]:
    """Returns those of the names that the model declares for a type, or all of them if it declares none.

    `pdp` is an engine, what follows one, or a client. A client asks its service with a strict request, and asks again
    after a minute. Raises the errors of the call, and QueryRefused for a client of asyncio.
    """
    engine, given = getattr(pdp, "engine", pdp), tuple(names)
    if not hasattr(engine, "pinned"):
        return _of_service(pdp, resource_type, given)
    kinds = _declarations(engine).resources.get(resource_type)
    return given if not kinds else tuple(name for name in given if _is_declared(name, kinds))


def _declarations(engine: Any) -> Declarations:
    """Returns the declarations of the model in force. PERF: an engine decodes them at each call."""
    state = engine.pinned().state
    known = _read.get(engine)
    if known is None or known[0] is not state:
        known = _read[engine] = state, state.declarations()
    return known[1]


def _is_declared(name: str, kinds: Mapping[str, Any]) -> bool:
    """Returns whether a key is declared, or a path below it."""
    return name in kinds or any(key.startswith(f"{name}.") for key in kinds)


def _of_service(pdp: Any, resource_type: str, names: tuple[str, ...]) -> tuple[str, ...]:
    kept, key, now = _asked.setdefault(pdp, {}), (resource_type, names), time.monotonic()
    until, found = kept.get(key, (0.0, ()))
    if now >= until:
        found = _ask(pdp, resource_type, names)
        kept[key] = now + KEPT_SECONDS, found
    return found


def _ask(pdp: Any, resource_type: str, names: tuple[str, ...]) -> tuple[str, ...]:
    request = {
        "subject": {"type": "-", "id": "-"},
        "action": {"name": "-"},
        "resource": {"type": resource_type, "id": "-", "properties": dict.fromkeys(names)},
        "options": {"strict": True},
    }
    try:
        answer = pdp.decide(request)
        if iscoroutine(answer):
            answer.close()
            reason = "a client of asyncio is awaited, and `resource_of` is not"
            raise QueryRefused(reason, "name the attributes in `attributes`, or give a `writ.Client`")
    except BadRequest as ex:
        unknown = {fault.path for fault in ex.details if fault.code == _UNDECLARED}
        return tuple(name for name in names if show_path(("resource", "properties", name)) not in unknown)
    return names
