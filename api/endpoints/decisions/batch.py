"""A batch of evaluations: its options, the merging of defaults into items, and where it stops."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from msgspec import Raw

from ....bundles.event_loop import TakesLong
from ....runtime import BadRequest
from ....runtime.requests.error_items import error_item
from ....runtime.requests.members import IDENTIFIERS, is_missing
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
_PARTS: Final = ("subject", "action", "resource", "context")

ITEM_FAILED = "the service failed to decide this item"


@dataclass(frozen=True, slots=True)
class Batch:
    """At least one item, the defaults of all items, and the decision that ends the batch."""

    items: list[object]
    defaults: Members
    stops_at: bool | None


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
    return Batch(items, defaults, stops_at)


class BatchAnswers(Iterator[Members | Raw]):
    """One decision per item, in order, up to the one that ends the batch (authzen.md 27-40, W4).

    An item that fails is a denial. Explanations are large and slow, so items get an error once the explained ones have
    too many bytes (D10). An explained one is JSON already.

    If `decide` raises TakesLong, so does the iterator, and goes on with the same item. `failures` has the failures of
    the service so far, and `reason_codes` the code of each answer so far, or None for an item that failed.
    """

    def __init__(self, batch: Batch, decide: Decide, most_bytes: int) -> None:
        """`most_bytes` bounds the explained items together."""
        self._decide = decide
        self.failures: list[Exception] = []
        self.reason_codes: list[str | None] = []
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
        if self._explained_bytes > self._most_bytes:  # the options of a batch count for all its items
            return error_item(
                400, f"the explanations of this batch have over {self._most_bytes} bytes; send fewer items"
            )
        if not isinstance(item, dict):
            return error_item(400, "an evaluation must be an object")
        try:
            return self._decide(merged(self._batch.defaults, item))
        except TakesLong:
            raise
        except BadRequest as error:
            return error_item(400, str(error))
        except Exception as error:  # the other items are still decided (authzen.md 38)
            self.failures.append(error)
            return error_item(500, ITEM_FAILED)


def merged(defaults: Members, item: Members) -> Members:
    """Returns `item`, with the parts that it lacks from `defaults`. Both are decoded JSON; null counts as absent (W3).

    A part of the item replaces the whole default. Only the members that AuthZEN requires are filled in one by one:

    - the `type`, or the `name` of an action;
    - the identifier, if the item's entity has none, and has no type or that of the default. It may be the `id`, the
      `external_id` or the `name` of the default.

    >>> merged({"subject": {"type": "user", "id": "a"}}, {"subject": {"id": "b"}})
    {'subject': {'id': 'b', 'type': 'user'}}
    """
    request = defaults.copy()
    for part in _PARTS:
        own = item.get(part)
        if own is not None:
            request[part] = own if part == "context" else _entity(part, request.get(part), own)
    return request


def _entity(part: str, default: object, own: object) -> object:
    if not (isinstance(own, dict) and isinstance(default, dict)):
        return own
    required = "name" if part == "action" else "type"
    taken: Members = {}
    if own.get(required) is None:
        taken[required] = default.get(required)
    if part != "action" and own.get("type") in (None, default.get("type")):
        names = IDENTIFIERS[part]
        if all(is_missing(own.get(name)) for name in names):
            taken |= {name: default[name] for name in names if not is_missing(default.get(name))}
    return own | taken if taken else own


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
