"""A batch of evaluations: its options, the merging of defaults into items, and where it stops."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from ...runtime import BadRequest
from ...runtime.engine import error_item
from ...runtime.requests.members import IDENTIFIERS, is_missing
from ..http.rejections import BodyRejected

Members: TypeAlias = dict[str, Any]
Decide: TypeAlias = Callable[[Members], Members]
"""The decision response to one evaluation request; raises BadRequest for a malformed one."""

# The decision that ends a batch early (authzen.md 35, 36); None runs every item.
_STOPS_AT: Final[Mapping[str, bool | None]] = {
    "execute_all": None,
    "deny_on_first_deny": False,
    "permit_on_first_permit": True,
}
_PARTS: Final = ("subject", "action", "resource", "context")

ITEM_FAILED = "this evaluation failed inside the service"


@dataclass(frozen=True, slots=True)
class Batch:
    """At least one item to evaluate, what fills the gaps in each, and the decision that ends the run."""

    items: list[object]
    defaults: Members
    stops_at: bool | None


def read_batch(body: Members, most_items: int) -> Batch | None:
    """The batch in the body of `/access/v1/evaluations`, None where it has no items (authzen.md 25, 26).

    `options` is judged either way; the defaults only where there are items, and only as JSON objects (41).

    Raises:
        BodyRejected: a fault of the whole body: `evaluations`, `options` or a default of the wrong type,
            an unknown semantic, too many items.
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


def answers(batch: Batch, decide: Decide, report: Callable[[Exception], None], most_explained: int) -> list[Members]:
    """One decision an item, in order, up to the one that ends the batch (authzen.md 27-40, W4).

    An item that fails is its own denial. `report` is told of a failure that is not the item's fault. Proofs are large
    and slow beside decisions, so none is made once those of the batch have more than `most_explained` candidates (D10).
    """
    answered: list[Members] = []
    explained = 0
    for item in batch.items:
        if explained > most_explained:  # proofs are asked for by the whole batch or not at all
            answer = error_item(400, f"the proofs of this batch have over {most_explained} candidates: ask for fewer")
        else:
            answer = _answer(batch.defaults, item, decide, report)
            explained += len(answer["context"].get("explanation", {}).get("candidates", ()))
        answered.append(answer)
        if answer["decision"] is batch.stops_at:
            break
    return answered


def merged(defaults: Members, item: Members) -> Members:
    """`item` with its gaps filled from `defaults`, both as decoded JSON; null members count as absent (W3).

    A part replaces its default whole. Only the members that AuthZEN requires are taken over one by one:
    `type` (of an action `name`), and the identifier where the item's entity has none of its own and its
    type is absent or the default's. Whichever identifier names the default is taken, so that an entity
    named by `external_id` or `name` is as much a default as one named by `id`.

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


def _answer(defaults: Members, item: object, decide: Decide, report: Callable[[Exception], None]) -> Members:
    if not isinstance(item, dict):
        return error_item(400, "an evaluation must be an object")
    try:
        return decide(merged(defaults, item))
    except BadRequest as error:
        return error_item(400, str(error))
    except Exception as error:  # one item that fails must not take the others along (authzen.md 38)
        report(error)
        return error_item(500, ITEM_FAILED)


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
