"""The rights of subjects on types of resources, each in one word: `/v1/environments/{env}/rights`."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal

import falcon
import falcon.asgi
from msgspec import Meta, Struct

from ....runtime import Engine
from ....runtime.requests.searches import FILTER, read_resource_search
from ...engines.live.bound_engines import engine_for
from ...engines.live.engine_access import EngineOf
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...http.queries import known_parameters
from ...http.rejections import BodyRejected
from ..decisions.decision_shapes import Identifier
from ..management.body_shapes import shaped

CODE: Final = "bad-question"

MOST_RIGHTS: Final = 1_000
"""The most rights of an answer: subjects times actions. To tell so many takes up to a second."""

_DIRECT: Final = "direct"


class SubjectAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """A subject. If it is registered, its registered attributes count (E9)."""

    type: Identifier
    id: Identifier


class TypeAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """A type of resources, by the name that requests say, and some of its actions."""

    type: Identifier
    actions: Annotated[tuple[Identifier, ...], Meta(min_length=1, max_length=MOST_RIGHTS)]


class RightsRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """On which resources of these types may these subjects do these actions?"""

    subjects: Annotated[tuple[SubjectAsked, ...], Meta(max_length=MOST_RIGHTS)]
    resources: Annotated[tuple[TypeAsked, ...], Meta(max_length=MOST_RIGHTS)]


class Right(Struct, frozen=True):
    """The resources of a type on which a subject may do an action: all, none, or some that a filter or a grant selects.

    `left_open` names what the answer depends on besides (S6), such as `context.mfa`.
    """

    subject: SubjectAsked
    type: str
    action: str
    on: Literal["all", "some", "none"]
    left_open: tuple[str, ...]


class RightsAnswer(Struct, frozen=True):
    """A right for each subject, type and action, in the order of the request."""

    rights: tuple[Right, ...]


ASK: Final = Operation(
    "tellRights",
    "Insight",
    "Tell on which resources subjects may do actions, each in one word",
    {200: Answer("The rights.", RightsAnswer)},
    f"It tells {MOST_RIGHTS:,} rights at most. It is no decision: it counts for no rate limit and no metric, and is not"
    " in the decision log.",
    bodies={JSON: RightsRequest},
)


class Rights:
    """Tells rights by the filters of a resource search, in a thread."""

    def __init__(self, engine_of: EngineOf, work: StoreWork, bodies: Bodies) -> None:
        self._engine_of, self._work, self._bodies = engine_of, work, bodies

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200. Raises BodyRejected for a malformed request, and for more than MOST_RIGHTS rights."""
        known_parameters(req)
        asked = shaped(await self._bodies.read_object(req), RightsRequest, CODE)
        if len(asked.subjects) * sum(len(one.actions) for one in asked.resources) > MOST_RIGHTS:
            raise BodyRejected(CODE, f"ask for {MOST_RIGHTS:,} rights at most", "$.subjects")
        engine = (await engine_for(req, self._engine_of, env)).uncounted()
        now = self._work.now()
        rights = await self._work.search(lambda: tuple(_told(engine, asked, now)))
        resp.data = ENCODER.encode(RightsAnswer(rights))


def _told(engine: Engine, asked: RightsRequest, now: float) -> Iterator[Right]:
    for subject in asked.subjects:
        for resource in asked.resources:
            for action in resource.actions:
                yield _right(engine, subject, resource.type, action, now)


def _right(engine: Engine, subject: SubjectAsked, type: str, action: str, now: float) -> Right:
    found = _filtered(engine, subject, type, action, now)
    if _is_never(found["filter"]) and _DIRECT in found["context"].get("access_paths", ()):
        found = _filtered(engine, subject, type, action, now, include_direct="node")  # what a DENY leaves of the grants
    tree = found["filter"]
    on: Literal["all", "some", "none"] = "some" if tree["type"] != "const" else "all" if tree["value"] else "none"
    return Right(subject, type, action, on, tuple(found["context"].get("left_open", ())))


def _filtered(
    engine: Engine, subject: SubjectAsked, type: str, action: str, now: float, **options: str
) -> dict[str, Any]:
    question = {
        "subject": {"type": subject.type, "id": subject.id},
        "action": {"name": action},
        "resource": {"type": type},
        "options": {"return": FILTER, "attributes": "registered", **options},
    }
    return engine.filter_for(read_resource_search(question), now)


def _is_never(tree: dict[str, Any]) -> bool:
    return bool(tree["type"] == "const" and not tree["value"])
