"""The demo: the model of an invented archive company, and example questions about it.

Reading path: `material` → `people` → `demo_groups` → `papers` → `access` → `organisation`.
"""

from importlib.resources import files
from typing import Any

import msgspec

from ....runtime.rules.reasons import AccessPath, ReasonCode
from .organisation import organisation

__all__ = ["DemoQuestion", "demo_questions", "demo_sources"]


class DemoQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An evaluation request with its expected decision, which does not depend on the time.

    `policy_id` is set if the decision is an allow, `denied_by` if a policy denies (D8).
    """

    title: str
    request: dict[str, Any]
    decision: bool
    reason_code: ReasonCode
    access_path: AccessPath
    policy_id: str | None = None
    denied_by: str | None = None


def demo_sources() -> list[tuple[str, bytes]]:
    """Returns the source documents of the demo model as (name, content). The bytes are always the same."""
    return [("policies.yaml", _package_data("policies.yaml")), ("organisation.json", organisation())]


def demo_questions() -> list[DemoQuestion]:
    """Returns example requests with their expected decisions, one for each outcome and access path."""
    return msgspec.json.decode(_package_data("questions.json"), type=list[DemoQuestion])


def _package_data(name: str) -> bytes:
    return files(__package__).joinpath(name).read_bytes()
