"""Revision tokens: `Writ-Revision` on an answer, and `Writ-Min-Revision` for the least one that a request asks for.

A token is `UUID.EPOCH.REVISION` of an environment. After a restored backup, revisions count again from a lower one, and
the epoch tells them apart.
"""

import re
from dataclasses import replace
from http import HTTPStatus
from typing import Final, NamedTuple

import falcon.asgi

from ...runtime import Engine
from ..store.errors import BadQuery
from .openapi.operation import Operation, Parameter
from .rejections import OtherRevisions

REVISION: Final = "Writ-Revision"
LEAST_REVISION: Final = "Writ-Min-Revision"

DECISION_ID: Final = "Writ-Decision-Id"

DECISION_ID_TOLD: Final = Parameter(
    DECISION_ID, "The name of the decision, which its record in the decision log has too.", optional=True
)
REVISION_TOLD: Final = Parameter(
    REVISION,
    f"The revision that decided, or that a write has made: a token for `{LEAST_REVISION}`. An exported bundle has the"
    " number of its revision.",
    optional=True,
)
REVISION_ASKED: Final = Parameter(
    LEAST_REVISION,
    f"A token from `{REVISION}`. Writ decides with this revision or a newer one. If it can't within a second: 503. A"
    " token of another environment or epoch: 409.",
)

LATER_EPOCH: Final = "later-epoch"
"""The code of the refusal by a service that is left behind: another one has taken over, so nothing here counts."""

_TOKEN: Final = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9]{1,18})\.([0-9]{1,18})")


def telling_revision(operation: Operation) -> Operation:
    """Returns the operation whose answers tell a revision."""
    answers = {
        status: replace(answer, headers=(*answer.headers, REVISION_TOLD))
        for status, answer in operation.answers.items()
    }
    return replace(operation, answers=answers)


def deciding(operation: Operation) -> Operation:
    """Returns the operation that takes the least revision to decide with, and tells its own and the decision's id."""
    errors, told = (*operation.errors, HTTPStatus.CONFLICT), telling_revision(operation)
    answers = {
        status: replace(answer, headers=(*answer.headers, DECISION_ID_TOLD)) for status, answer in told.answers.items()
    }
    return replace(told, answers=answers, headers=(*operation.headers, REVISION_ASKED), errors=errors)


class RevisionToken(NamedTuple):
    """A revision of an environment, in an epoch."""

    uuid: str
    epoch: int
    revision: int


def read_token(text: str) -> RevisionToken:
    """Returns the token that a client sent. Raises BadQuery if it is none.

    >>> read_token("0b8f6d3a-1c52-4f0e-9a57-6f3d2a1b4c5d.2.41").revision
    41
    """
    found = _TOKEN.fullmatch(text)
    if found is None:
        raise BadQuery(f"`{LEAST_REVISION}` is a token that Writ sent in `{REVISION}`, such as UUID.EPOCH.REVISION")
    return RevisionToken(found[1], int(found[2]), int(found[3]))


def refuse_unlike(engine: Engine, token: RevisionToken) -> None:
    """Raises OtherRevisions if the token's revisions are not those of the engine's environment and epoch."""
    environment, epoch = engine.manifest.environment, engine.manifest.epoch
    refuse_other(None if environment is None else RevisionToken(environment.uuid, epoch, engine.revision), token)


def refuse_other(own: RevisionToken | None, token: RevisionToken) -> None:
    """Raises OtherRevisions if a token's revisions are not those of another token, in the same epoch."""
    if own is None or own.uuid != token.uuid:
        raise OtherRevisions("other-environment", f"`{LEAST_REVISION}` is a revision of another environment")
    shown = f"of epoch {token.epoch}, and the environment is in epoch {own.epoch}"
    if own.epoch > token.epoch:
        raise OtherRevisions("other-epoch", f"`{LEAST_REVISION}` is a revision {shown}: a backup was restored")
    if own.epoch < token.epoch:
        raise OtherRevisions(LATER_EPOCH, f"`{LEAST_REVISION}` is a revision {shown}: another service has taken over")


def decision_lines(engine: Engine) -> bytes:
    """Returns the header lines with the revision of a pinned engine, up to where the id of a decision follows.

    They are for the lane.
    """
    token = engine.revision_token
    revision = b"" if token is None else b"writ-revision: %b\r\n" % token.encode()
    return revision + b"writ-decision-id: "


class DecisionHeaders:
    """Falcon middleware that tells the revision of a decision, which is that of the request's engine, and its id."""

    async def process_response(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, _resource: object, succeeded: bool
    ) -> None:
        """Sets the headers. A bundle that was compiled from files has no revision to tell."""
        engine: Engine | None = getattr(req.context, "engine", None)
        if succeeded and engine is not None and (token := engine.revision_token) is not None:
            resp.set_header(REVISION, token)
        if succeeded and (id := getattr(req.context, "decision_id", None)) is not None:
            resp.set_header(DECISION_ID, id)
