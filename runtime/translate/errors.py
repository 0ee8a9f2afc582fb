"""The refusals of a filter: it is not a filter, or a target cannot express it exactly."""

from ...bundles.errors import Error


class BadFilter(Error, ValueError):
    """A tree that is not a filter of the contract; `path` is a JSON path like `$.conditions[1].value`."""

    def __init__(self, message: str, path: str):
        self.message, self.path = message, path
        super().__init__(f"{path}: {message}")


class Untranslatable(Error, ValueError):
    """A node that a target cannot express exactly: its JSON path, the target, the reason and a remedy.

    A translation skips nothing and approximates nothing, so there is no partial result to fall back on.
    """

    def __init__(self, path: str, target: str, reason: str, remedy: str):
        self.path, self.target, self.reason, self.remedy = path, target, reason, remedy
        super().__init__(f"{path}: not translated to {target}: {reason}; {remedy}")
