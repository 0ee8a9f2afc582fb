"""The errors of a client. A call that raises one gave no answer: treat it as a denial."""

from collections.abc import Sequence
from typing import Any

from ...bundles.errors import Error


class CallFailed(Error):
    """A client got no answer that it can use. The message is one sentence."""


class Unreachable(CallFailed):
    """No answer came in time: there is no connection, it broke, or the decision point takes too long."""


class CircuitOpen(Unreachable):
    """Too many calls in a row failed, so the client does not ask for a moment."""


class BadAnswer(CallFailed):
    """The answer is not what was asked for, such as one of 200 without a boolean `decision`."""


class OlderService(CallFailed):
    """The service answers from a store that another one has taken over from: its epoch is earlier than one seen."""


class Refused(CallFailed):
    """The decision point answered with an error.

    `status` is that of HTTP, and `code` that of the first of the `details`, or None. `retry_after` is the time in
    seconds that it wants to be left alone, or None. `request_id` names the call in its logs, or is None.
    """

    def __init__(
        self,
        message: str,
        status: int,
        details: Sequence[dict[str, Any]] = (),
        retry_after: float | None = None,
        request_id: str | None = None,
    ):
        super().__init__(message)
        self.status, self.details = status, tuple(details)
        self.retry_after, self.request_id = retry_after, request_id
        code = self.details[0].get("code") if self.details else None
        self.code: str | None = code if isinstance(code, str) else None
