"""The refusals: of a statement that can't be authorized exactly, and of a change that is not allowed."""

from collections.abc import Mapping
from typing import Any

from ..bundles.errors import Error
from ..bundles.wording import quoted


class QueryRefused(Error, ValueError):
    """A statement, a class or a table that can't be authorized exactly: the reason and a remedy."""

    def __init__(self, reason: str, remedy: str):
        self.reason, self.remedy = reason, remedy
        super().__init__(f"{reason}; {remedy}")


class ChangeRefused(Error, PermissionError):
    """A change of a row that the decision point does not allow. `answer` is the decision response.

    The message is for the application's log. Answer the caller as after another denial.
    """

    def __init__(self, resource_type: str, resource_id: str, action: str, answer: Mapping[str, Any]):
        self.answer = answer
        super().__init__(f"{quoted(action)} on {quoted(resource_type)} {quoted(resource_id)} is not allowed")
