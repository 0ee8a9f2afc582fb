"""Finds who can do an action, as a job: it compiles the whole model, which takes seconds for a large one."""

from typing import Any, Final

import msgspec
from msgspec import Struct

from ....bundles.wording import quoted
from ...engines.jobs.job import Job, JobCall, always
from ...review.asking.who_can_answer import WhoCan, who_can_in
from ...review.asking.who_can_request import read_who_can
from ...store.errors import NotFound

MOST_SECONDS: Final = 120.0
"""The longest that one question may take."""


class WhoCanCall(Struct, frozen=True):
    """The environment whose model to ask, the body of the question, and the instant in epoch seconds.

    `uuid` is that of the environment: another one may have got its id meanwhile.
    """

    env: str
    uuid: str
    body: dict[str, Any]
    now: float


class FoundWhoCan(Struct, frozen=True):
    """The answer as JSON."""

    answer: msgspec.Raw


class WhoCanAnswer(WhoCan, frozen=True):
    """The subjects that can do the action, by the model at a revision."""

    revision: int


def find_who_can(call: JobCall[WhoCanCall]) -> FoundWhoCan:
    """Returns who can do what a question asks for, by the newest model. Raises NotFound, StoreUnavailable."""
    asked = call.request
    environment, model = call.store.read_model(asked.env)
    if environment.uuid != asked.uuid:
        raise NotFound(f"there is no environment {quoted(asked.env)} any more")
    question, registered = read_who_can(asked.body, asked.now)
    found = who_can_in(model, question, registered=registered)
    members = msgspec.structs.asdict(found)
    return FoundWhoCan(msgspec.Raw(msgspec.json.encode(WhoCanAnswer(**members, revision=environment.revision))))


WHO_CAN: Final = Job(
    f"{__name__}:WHO_CAN",
    find_who_can,
    WhoCanCall,
    FoundWhoCan,
    task="finds who can do the action",
    seconds=MOST_SECONDS,
    is_question=always,
)
"""The job."""
