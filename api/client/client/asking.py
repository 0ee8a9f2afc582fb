"""One question to a decision point: its URL, its time, and the revision that it asks for."""

import logging
from typing import Final

from ..bundles.errors import Error
from .calling.answers import code_of
from .calling.caller import LEAST_REVISION, Caller
from .calling.credentials import LOG
from .calling.discovery import Discovery, Endpoints
from .calling.revision import REVISION, Revisions
from .calling.steps import Answer, Call, Steps

_JSON: Final = {"Content-Type": "application/json"}
_OTHER_EPOCH: Final = "other-epoch"


class Asking:
    """The base of all questions. `seconds` bounds a question with everything that it needs."""

    def __init__(self, caller: Caller, discovery: Discovery, revisions: Revisions, seconds: float):
        self._caller, self._discovery, self._revisions = caller, discovery, revisions
        self._seconds = seconds

    def _begin(self) -> Steps[tuple[Endpoints, float]]:
        """Returns the URLs, and the deadline of a question that begins now."""
        deadline = self._caller.deadline(self._seconds)
        return (yield from self._discovery.endpoints(deadline)), deadline

    def _posted(self, url: str, content: bytes, deadline: float) -> Steps[Answer]:
        """Returns the answer to a question, which is JSON already, whatever its status.

        If the client knows a revision, the question asks for it. If a backup was restored since, the client drops it,
        and asks once more. It keeps one that is later than the service's: another service has taken over. Raises
        OlderService for an answer of an earlier epoch than the client has seen.
        """
        token = self._revisions.token
        headers = _JSON if token is None else {**_JSON, LEAST_REVISION: token}
        answer = yield from self._caller.sent(Call("POST", url, content, headers), deadline)
        self._revisions.met(answer.headers.get(REVISION))
        if token is not None and answer.status == 409 and code_of(answer) == _OTHER_EPOCH:
            self._revisions.forget(token)
            answer = yield from self._caller.sent(Call("POST", url, content, _JSON), deadline)
            self._revisions.met(answer.headers.get(REVISION))
        return answer


def log_denial(error: Error) -> None:
    """Log that there is no answer, so that it counts as a denial."""
    logging.getLogger(LOG).warning("there is no answer, which counts as a denial: %s", error)
