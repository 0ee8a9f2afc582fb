"""A batch of evaluations: its options, the merging of defaults into items, and where it stops."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from msgspec import Raw

from ....bundles.event_loop import TakesLong
from ....runtime import BadRequest, Engine, SearchUnavailable
from ....runtime.requests.error_items import error_item
from ....runtime.requests.members import RequestFault
from ....runtime.strictness.known_members import REQUEST
from ...http.bodies import ENCODER
from ...http.rejections import BodyRejected

Members: TypeAlias = dict[str, Any]
Decide: TypeAlias = Callable[[Members], Members]
"""Returns the answer to one evaluation request. Raises BadRequest if the request is malformed, and TakesLong."""

# The decision that ends a batch early (authzen.md 35, 36); None runs every item.
_STOPS_AT: Final[Mapping[str, bool | None]] = {
    "execute_all": None,
    "deny_on_first_deny": False,
    "permit_on_first_permit": True,
}
_ITEMS: Final = "evaluations"
_SEMANTIC: Final = "evaluations_semantic"
_ENTITIES: Final = ("subject", "action", "resource")
_PARTS: Final = (*_ENTITIES, "context")

ITEM_FAILED = "the service failed to decide this item"


@dataclass(frozen=True, slots=True)
class Batch:
    """At least one item, the defaults of all items, and the decision that ends the batch.

    With `keeps_unknown`, merging keeps members of items that Writ does not know, for strict requests to find (E8).
    """

    items: list[object]
    defaults: Members
    stops_at: bool | None
    keeps_unknown: bool = False


def read_batch(body: Members, most_items: int) -> Batch | None:
    """Returns the batch in the body of `/access/v1/evaluations`, or None if it has no items (authzen.md 25, 26).

    Always checks `options`. Checks the defaults only if there are items, and only that they are objects (41).

    Raises:
        BodyRejected: `evaluations`, `options` or a default has the wrong type, the semantic is unknown, or there are
            too many items.
    """
    stops_at = _stops_at(body.get("options"))
    items = body.get("evaluations")
    if items is None:
        return None
    if not isinstance(items, list):
        raise BodyRejected("wrong-type", "`evaluations` must be an array", "$.evaluations")
    if len(items) > most_items:
        message = f"`evaluations` has {len(items)} items, the limit is {most_items}"
        raise BodyRejected("too-many-items", message, "$.evaluations")
    if not items:
        return None
    defaults = {part: body[part] for part in (*_PARTS, "options") if body.get(part) is not None}
    for part, default in defaults.items():
        if not isinstance(default, dict):
            raise BodyRejected("wrong-type", f"`{part}` must be an object", f"$.{part}")
    return Batch(items, without_batch_members(defaults), stops_at)


def without_batch_members(body: Members) -> Members:
    """Returns a body or defaults without the members that only a batch has: what is left is one evaluation."""
    options = body.get("options")
    if isinstance(options, dict) and _SEMANTIC in options:
        body = body | {"options": {name: value for name, value in options.items() if name != _SEMANTIC}}
    return {name: value for name, value in body.items() if name != _ITEMS} if _ITEMS in body else body


def strict_batch(engine: Engine, body: Members, batch: Batch) -> Batch:
    """Returns a batch that keeps unknown members if it is strict. Raises BadRequest if it has faults itself (E8)."""
    engine.refuse_faults("batch", body)
    return replace(batch, keeps_unknown=True) if engine.is_strict_for(body) else batch


class BatchAnswers(Iterator[Members | Raw]):
    """One decision per item, in order, up to the one that ends the batch (authzen.md 27-40, W4).

    An item that fails is a denial. Explanations are large and slow, so items get an error once the explained ones have
    too many bytes (D10). An explained one is JSON already.

    If `decide` raises TakesLong, so does the iterator, and goes on with the same item. `failures` has the failures of
    the service so far, and `reason_codes` the code of each answer so far, or None for an item that failed. `faults` has
    the faults of strict items so far.
    """

    def __init__(self, batch: Batch, decide: Decide, most_bytes: int) -> None:
        """`most_bytes` bounds the explained items together."""
        self._decide = decide
        self.failures: list[Exception] = []
        self.reason_codes: list[str | None] = []
        self.faults: list[RequestFault] = []
        self._batch, self._most_bytes = batch, most_bytes
        self._items, self._explained_bytes = deque(batch.items), 0

    def __next__(self) -> Members | Raw:
        if not self._items:
            raise StopIteration
        answer = self._answer(self._items[0])
        self._items.popleft()
        self.reason_codes.append(answer["context"].get("reason_code"))
        if answer["decision"] is self._batch.stops_at:
            self._items.clear()
        if "explanation" not in answer["context"]:
            return answer
        encoded = ENCODER.encode(answer)
        self._explained_bytes += len(encoded)
        return Raw(encoded)

    def _answer(self, item: object) -> Members:
        if not isinstance(item, dict):
            return error_item(400, "an evaluation must be an object")
        request = self._merged(item)
        if self._explained_bytes > self._most_bytes and _explains(request):
            return error_item(
                400, f"the explanations of this batch have over {self._most_bytes} bytes; send fewer items"
            )
        try:
            return self._decide(request)
        except TakesLong:
            raise
        except BadRequest as error:
            self.faults += error.strict_faults
            return error_item(400, str(error), error.strict_faults)
        except SearchUnavailable as error:
            return error_item(501, str(error))
        except Exception as error:  # the other items are still decided (authzen.md 38)
            self.failures.append(error)
            return error_item(500, ITEM_FAILED)

    def _merged(self, item: Members) -> Members:
        request = merged(self._batch.defaults, item)
        if (self._batch.keeps_unknown or _asks_strict(item)) and not REQUEST.issuperset(item):
            request |= {name: value for name, value in item.items() if name not in REQUEST}
        return request


def _asks_strict(item: Members) -> bool:
    options = item.get("options")
    return isinstance(options, dict) and options.get("strict") is True


def merged(defaults: Members, item: Members) -> Members:
    """Returns `item`, with the parts that it lacks from `defaults`. Both are decoded JSON (W3).

    A part of the item replaces the whole default, and an entity that is null does so, too: it then is missing. An
    entity takes only its `type` from the default, or an action its `name`. It never takes an identifier, since then the
    answer would be about another entity. A context that is null counts as absent. Each option of the item replaces the
    one of the batch.

    >>> merged({"subject": {"type": "user", "id": "a"}}, {"subject": {"id": "b"}})
    {'subject': {'id': 'b', 'type': 'user'}}
    """
    request = defaults.copy()
    for part in _ENTITIES:
        if part in item:
            request[part] = _entity(part, request.get(part), item[part])
    if item.get("context") is not None:
        request["context"] = item["context"]
    if item.get("options") is not None:
        request["options"] = _options(request.get("options"), item["options"])
    return request


def _options(default: object, own: object) -> object:
    """Returns the options of an item: its own, and those of the batch that it leaves out or sends as null.

    A null that replaces nothing stays: it counts as missing, but a strict request needs its name (E8).
    """
    if not (isinstance(own, dict) and isinstance(default, dict)):
        return own
    return default | {name: value for name, value in own.items() if value is not None or name not in default}


def _explains(request: Members) -> bool:
    options = request.get("options")
    return isinstance(options, dict) and options.get("explain") is True


def _entity(part: str, default: object, own: object) -> object:
    if not (isinstance(own, dict) and isinstance(default, dict)):
        return own
    required = "name" if part == "action" else "type"
    return own if own.get(required) is not None else own | {required: default.get(required)}


def _stops_at(options: object) -> bool | None:
    if options is None:
        return None
    if not isinstance(options, dict):
        raise BodyRejected("wrong-type", "`options` must be an object", "$.options")
    semantic = options.get("evaluations_semantic")
    if semantic is None:
        return None
    if not isinstance(semantic, str) or semantic not in _STOPS_AT:
        message = f"`evaluations_semantic` must be one of {', '.join(f'`{name}`' for name in _STOPS_AT)}"
        raise BodyRejected("unknown-semantic", message, "$.options.evaluations_semantic")
    return _STOPS_AT[semantic]
