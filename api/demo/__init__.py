"""The demo: the model of an invented company that keeps the documents of others, and questions about it."""

from importlib.resources import files
from typing import Any

import msgspec

from ...runtime.rules.reasons import AccessPath, ReasonCode
from .organisation import organisation

__all__ = ["DemoQuestion", "demo_questions", "demo_sources"]


class DemoQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An evaluation request and what its decision has to be, whenever it is asked.

    `policy_id` is given where access is granted, `denied_by` where a policy forbids it (D8).
    """

    title: str
    request: dict[str, Any]
    decision: bool
    reason_code: ReasonCode
    access_path: AccessPath
    policy_id: str | None = None
    denied_by: str | None = None


def demo_sources() -> list[tuple[str, bytes]]:
    """The source documents of the demo model as (name, content), the same bytes every time."""
    return [("policies.yaml", _package_data("policies.yaml")), ("organisation.json", organisation())]


def demo_questions() -> list[DemoQuestion]:
    """Example requests with their expected decisions, one for each outcome and access path."""
    return msgspec.json.decode(_package_data("questions.json"), type=list[DemoQuestion])


def _package_data(name: str) -> bytes:
    return files(__package__).joinpath(name).read_bytes()
