"""The refusal of a request: its status, its reason code, and one sentence."""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from ..bundles.errors import Error
from ..runtime.requests.members import BadRequest

LOG: Final = logging.getLogger("writ.web")
"""The log of the reasons. A response says less, since its reader need not know the policies."""

REASON_CODE: Final = "X-Writ-Reason-Code"
"""The header with the reason code, as gateways get it."""

DENIED: Final = "DENIED"
"""The reason code of a denial for which the decision point gives none. Writ always gives one."""

REQUEST_REFUSED: Final = "REQUEST_REFUSED"
"""The reason code of a request that makes no question, for example by an id that is too long."""

NO_SUBJECT: Final = "NO_SUBJECT"
"""The reason code of a request for which the application has no subject."""

NO_DECISION: Final = "NO_DECISION"
"""The reason code of a request for which the decision point had no answer."""

_CODE: Final = re.compile("[!-~]{1,100}")
"""A reason code that a header may have: visible characters of ASCII."""


class NoDecision(Error):
    """The decision point gave no answer that can be used."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The refusal of a request.

    `status` is 403, or 503 if there is no decision. `code` is the reason code, and `reason` one sentence, which names
    no policy and no attribute.
    """

    status: int
    code: str
    reason: str

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the response."""
        return {REASON_CODE: self.code, "Cache-Control": "no-store"}

    @property
    def body(self) -> dict[str, str]:
        """The JSON body of the response."""
        return {"error": self.reason, "reason_code": self.code}


NOBODY: Final = Refusal(HTTPStatus.FORBIDDEN, NO_SUBJECT, "the request has no subject")


def refusal_in(answer: Any) -> Refusal | None:
    """Returns the refusal in a decision response, or None if it allows.

    Raises NoDecision if there is no boolean `decision`, or if an answer that allows has an error, too.
    """
    if _decision_in(answer):
        if _fault_in(answer) is not None:
            raise NoDecision("the decision point allows, and says that the question is malformed")
        return None
    context = answer.get("context")
    told = context if isinstance(context, Mapping) else {}
    LOG.info("refused: %r", told.get("reason"))
    code = told.get("reason_code")
    if not (isinstance(code, str) and _CODE.fullmatch(code)):
        code = DENIED
    return Refusal(HTTPStatus.FORBIDDEN, code, "the decision is a denial")


def refusal_after(error: Error) -> Refusal:
    """Returns the refusal of a request whose question had no answer: 403 for BadRequest, or 503. The log says why."""
    if isinstance(error, BadRequest):
        LOG.warning("the request makes no question: %r", str(error))
        return Refusal(HTTPStatus.FORBIDDEN, REQUEST_REFUSED, "the request makes no question")
    LOG.error("no decision: %r", str(error))
    return Refusal(HTTPStatus.SERVICE_UNAVAILABLE, NO_DECISION, "there is no decision now; try again later")


def permissions_in(answers: Any, count: int) -> list[bool]:
    """Returns which of `count` questions of a batch are allowed. A malformed question is not, and the log says why.

    Raises NoDecision if the answers are not as many, or if one of them has no decision.
    """
    if not isinstance(answers, Sequence) or len(answers) != count:
        raise NoDecision(f"the decision point did not answer each of {count} questions")
    faults = [_fault_in(answer) for answer in answers]
    malformed = [fault for fault in faults if fault is not None]
    if malformed:
        LOG.warning("%d of %d questions are malformed, such as: %r", len(malformed), count, malformed[0])
    return [_decision_in(answer) and fault is None for answer, fault in zip(answers, faults, strict=True)]


def _decision_in(answer: Any) -> bool:
    decision = answer.get("decision") if isinstance(answer, Mapping) else None
    if not isinstance(decision, bool):
        raise NoDecision("the answer of the decision point has no boolean `decision`")
    return decision


def _fault_in(answer: Any) -> str | None:
    """Returns what is wrong with a malformed question, or None. Raises NoDecision for any other error (W4)."""
    context = answer.get("context") if isinstance(answer, Mapping) else None
    error = context.get("error") if isinstance(context, Mapping) else None
    if error is None:
        return None
    if isinstance(error, Mapping) and error.get("status") == HTTPStatus.BAD_REQUEST:
        return str(error.get("message"))
    raise NoDecision(f"there is an error in place of a decision: {error}")
