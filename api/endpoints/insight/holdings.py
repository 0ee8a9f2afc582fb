"""The holdings of a subject, with the reason of each: `/v1/environments/{env}/subjects/{type}/{id}/holdings`."""

from typing import Any, Final

import falcon
import falcon.asgi
from msgspec import Struct

from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Operation
from ...http.queries import known_parameters
from ...store.insight import subject_holdings
from ...store.insight.subject_holdings import HeldAssignment, Holdings


class HeldGroup(Struct, frozen=True):
    """A group that has the subject as a member. `through` are the groups on the way, from the subject's own group on.

    It is empty if the subject is a member of the group itself.
    """

    id: str
    through: tuple[str, ...]


class HeldRole(Struct, frozen=True):
    """A role, and the assignments that give it. Those for the subject itself come first: their `group` is null."""

    role: str
    assignments: tuple[HeldAssignment, ...]


class HoldingsAnswer(Struct, frozen=True):
    """The holdings of a subject, with those that have not started yet or have expired.

    `subject` and `grants` are elements of the model. `truncated` says whether a limit cut something.
    """

    subject: dict[str, Any]
    groups: tuple[HeldGroup, ...]
    roles: tuple[HeldRole, ...]
    grants: tuple[dict[str, Any], ...]
    truncated: bool


GET: Final = Operation(
    "getHoldings",
    "Insight",
    "Read the groups, roles and grants of a subject, and why it has them",
    {200: Answer("What the subject holds.", HoldingsAnswer)},
    f"It shows {subject_holdings.MOST_GROUPS} groups, {subject_holdings.MOST_ASSIGNMENTS} assignments and"
    f" {subject_holdings.MOST_GRANTS} grants at most.",
)


class SubjectHoldings:
    """The endpoint of a subject's holdings."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, type: str, id: str) -> None:
        """Answer 200. Raises NotFound if the subject is not registered (E3)."""
        known_parameters(req)
        bounds = req.context.credential.bounds
        found = await self._work.read(self._work.store.insight.holdings, env, (type, id), bounds)
        resp.data = ENCODER.encode(_shown(found))


def _shown(found: Holdings) -> HoldingsAnswer:
    return HoldingsAnswer(
        dict(found.subject),
        tuple(HeldGroup(id, through) for id, through in found.groups.items()),
        tuple(HeldRole(role, assignments) for role, assignments in found.roles.items()),
        tuple(dict(grant) for grant in found.grants),
        found.truncated,
    )
