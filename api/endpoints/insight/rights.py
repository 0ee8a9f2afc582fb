"""The rights of subjects on types of resources, each in one word: `/v1/environments/{env}/rights`."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final, Literal, TypeAlias

import falcon
import falcon.asgi
import msgspec
from msgspec import Meta, Struct

from ....runtime import Engine
from ....runtime.requests.searches import FILTER, read_resource_search
from ....runtime.searches.sources import RATE_LIMIT, Source, is_limited
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

MOST_SOURCES: Final = 100
"""The most policies and grants that a right names."""

Sources: TypeAlias = tuple[Source, ...]
"""The sources of a right, perhaps more than it may name."""

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
    """On which resources of these types may these subjects, and holders of these roles, do these actions?

    With `sources`, each right says where it comes from.
    """

    resources: Annotated[tuple[TypeAsked, ...], Meta(max_length=MOST_RIGHTS)]
    subjects: Annotated[tuple[SubjectAsked, ...], Meta(max_length=MOST_RIGHTS)] = ()
    roles: Annotated[tuple[Identifier, ...], Meta(max_length=MOST_RIGHTS)] = ()
    sources: bool = False


class RightSource(Struct, frozen=True, omit_defaults=True):
    """A policy that gives or denies a right, or a grant that gives it, by its id.

    A policy counts if none of its conditions fails that are known. It counts for `all` resources of the type or for
    `some`, and `left_open` names what it depends on besides. `held_by` is the role by which it applies, and the group
    that has the role or the grant.
    """

    kind: Literal["policy", "grant"]
    id: str
    effect: Literal["ALLOW", "DENY"]
    on: Literal["all", "some"]
    left_open: tuple[str, ...] = ()
    held_by: dict[str, str] | None = None


class OtherPolicy(Struct, frozen=True):
    """A policy on the action that does not count here: a condition fails, or it is for other roles."""

    id: str
    effect: Literal["ALLOW", "DENY"]


class Right(Struct, frozen=True, omit_defaults=True):
    """The resources of a type on which a subject may do an action: all, none, or some that a filter or a grant selects.

    `left_open` names what the answer depends on besides (S6), such as `context.mfa`, and `rate_limit` if it hangs on
    one. For a `role`, a right is what policies say of a holder of this role alone, whose attributes are left open. It
    is `denied` if a DENY without conditions says so. `others` are the policies on the action that do not count.
    `cut` says that there are more sources or others.
    """

    type: str
    action: str
    on: Literal["all", "some", "none", "denied"]
    left_open: tuple[str, ...]
    subject: SubjectAsked | None = None
    role: str | None = None
    sources: tuple[RightSource, ...] | None = None
    others: tuple[OtherPolicy, ...] | None = None
    cut: bool = False


class RightsAnswer(Struct, frozen=True):
    """A right for each subject and then for each role, with each type and action, in the order of the request."""

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
        holders = len(asked.subjects) + len(asked.roles)
        if holders * sum(len(one.actions) for one in asked.resources) > MOST_RIGHTS:
            raise BodyRejected(CODE, f"ask for {MOST_RIGHTS:,} rights at most", "$.subjects")
        engine = (await engine_for(req, self._engine_of, env)).uncounted()
        now = self._work.now()
        rights = await self._work.search(lambda: tuple(_told(engine, asked, now)))
        resp.data = ENCODER.encode(RightsAnswer(rights))


def _told(engine: Engine, asked: RightsRequest, now: float) -> Iterator[Right]:
    pairs = [(resource.type, action) for resource in asked.resources for action in resource.actions]
    for subject in asked.subjects:
        for type, action in pairs:
            yield _with_sources(*_right(engine, subject, type, action, now), asked.sources)
    for role in asked.roles:
        for type, action in pairs:
            yield _with_sources(*_right_of_role(engine, role, type, action), asked.sources)


def _right(engine: Engine, subject: SubjectAsked, type: str, action: str, now: float) -> tuple[Right, Sources]:
    found = _filtered(engine, subject, type, action, now)
    if _is_never(found["filter"]) and _DIRECT in found["context"].get("access_paths", ()):
        found = _filtered(engine, subject, type, action, now, include_direct="node")  # what a DENY leaves of the grants
    tree = found["filter"]
    on: Literal["all", "some", "none"] = "some" if tree["type"] != "const" else "all" if tree["value"] else "none"
    sources = _first(engine.sources(read_resource_search(_question(subject, type, action)), now))
    opened = found["context"].get("left_open", ())
    return Right(type, action, on, _names(opened, limited=is_limited(sources)), subject=subject), sources


def _right_of_role(engine: Engine, role: str, type: str, action: str) -> tuple[Right, Sources]:
    sources = _first(engine.sources_for_role(role, type, action))
    counting = _counting(sources)
    allows, denies = [[one for one in counting if one.effect == effect] for effect in ("ALLOW", "DENY")]
    if any(one.is_certain for one in denies):
        return Right(type, action, "denied", (), role=role), sources
    if not allows:
        return Right(type, action, "none", (), role=role), sources
    open_ones = denies if any(one.is_certain for one in allows) else counting
    names = {name for one in open_ones for name in one.left_open if name != RATE_LIMIT}
    on: Literal["all", "some"] = "all" if not denies and any(one.on == "all" for one in allows) else "some"
    return Right(type, action, on, _names(names, limited=is_limited(sources)), role=role), sources


def _first(sources: Iterator[Source]) -> Sources:
    """Returns all policies, and of the grants after them as many as a right may name, and one more."""
    found: list[Source] = []
    grants = 0
    for one in sources:
        found.append(one)
        grants += one.kind == "grant"
        if grants > MOST_SOURCES:
            break
    return tuple(found)


def _names(opened: Iterable[str], *, limited: bool) -> tuple[str, ...]:
    return tuple(sorted({*opened, RATE_LIMIT} if limited else opened))


def _with_sources(right: Right, sources: Sources, wanted: bool) -> Right:
    if not wanted:
        return right
    counting = _counting(sources)
    others = [OtherPolicy(one.id, _effect(one)) for one in sources if one.on == "none"]
    return msgspec.structs.replace(
        right,
        sources=tuple(map(_shown, counting[:MOST_SOURCES])),
        others=tuple(others[:MOST_SOURCES]),
        cut=max(len(counting), len(others)) > MOST_SOURCES,
    )


def _counting(sources: Sources) -> Sources:
    return tuple(one for one in sources if one.on != "none")


def _shown(source: Source) -> RightSource:
    on: Literal["all", "some"] = "all" if source.on == "all" else "some"
    return RightSource(source.kind, source.id, _effect(source), on, source.left_open, source.held_by)


def _effect(source: Source) -> Literal["ALLOW", "DENY"]:
    return "DENY" if source.effect == "DENY" else "ALLOW"


def _question(subject: SubjectAsked, type: str, action: str, **options: str) -> dict[str, Any]:
    return {
        "subject": {"type": subject.type, "id": subject.id},
        "action": {"name": action},
        "resource": {"type": type},
        "options": {"return": FILTER, "attributes": "registered", **options},
    }


def _filtered(
    engine: Engine, subject: SubjectAsked, type: str, action: str, now: float, **options: str
) -> dict[str, Any]:
    return engine.filter_for(read_resource_search(_question(subject, type, action, **options)), now)


def _is_never(tree: dict[str, Any]) -> bool:
    return bool(tree["type"] == "const" and not tree["value"])
