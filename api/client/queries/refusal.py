"""The refusal of a statement that can't be authorized exactly."""

from ..bundles.errors import Error


class QueryRefused(Error, ValueError):
    """A statement, a class or a table that can't be authorized exactly: the reason and a remedy."""

    def __init__(self, reason: str, remedy: str):
        self.reason, self.remedy = reason, remedy
        super().__init__(f"{reason}; {remedy}")
