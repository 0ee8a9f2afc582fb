"""A decision as a small value, for application code."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn


def _refuse(*_: object, **__: object) -> NoReturn:
    raise TypeError("the context of a decision is shared, so it can't be changed; copy it with `dict(…)`")


class SharedContext(dict[str, Any]):
    """A context that can't be changed. It can be pickled, copied and encoded like any dictionary."""

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (dict(self),)


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision. It is true if the subject is allowed, so `if engine.ask(…):` reads as it should.

    `reason_code` and `policy_id` are those of contract 2.5. Another decision point than Writ may leave them out.
    `retry_after_seconds` is there if only rate limits stand against a permission. `context` has all that was answered.
    """

    allowed: bool
    reason: str | None
    reason_code: str | None
    policy_id: str | None
    retry_after_seconds: int | None
    context: Mapping[str, Any]

    def __bool__(self) -> bool:
        return self.allowed

    @classmethod
    def of(cls, response: Mapping[str, Any]) -> "Decision":
        """Returns the decision in a decision response."""
        context = response.get("context") or {}
        return cls(
            response["decision"],
            context.get("reason"),
            context.get("reason_code"),
            context.get("policy_id"),
            context.get("retry_after_seconds"),
            context,
        )
