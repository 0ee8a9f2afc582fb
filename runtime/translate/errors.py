"""The two ways in which a filter is turned down: it is no filter, or a target can't say what it says."""


class BadFilter(ValueError):
    """A tree that is no filter of the contract, at a JSON path like `$.conditions[1].value`."""

    def __init__(self, message: str, path: str):
        self.message, self.path = message, path
        super().__init__(f"{path}: {message}")


class Untranslatable(ValueError):
    """A node that a target can't say exactly: where, for whom, why, and what would help.

    Nothing is skipped and nothing approximated, so there is no partial translation to fall back on.
    """

    def __init__(self, path: str, target: str, reason: str, remedy: str):
        self.path, self.target, self.reason, self.remedy = path, target, reason, remedy
        super().__init__(f"{path}: not translated to {target}: {reason}; {remedy}")
