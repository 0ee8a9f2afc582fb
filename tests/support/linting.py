"""Builds models for tests of lints: an ALLOW, a DENY, and what makes them meet or not."""

import json
from typing import Any

from tests.support.diagnosing import load_text, model_text

Policy = dict[str, Any]


def model(*policies: Policy, **lists: str) -> str:
    """Policies on `document` for `read` unless they say otherwise, in a model document."""
    scope = {"resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}
    return model_text(policies=json.dumps([scope | policy for policy in policies]), **lists)


def allow(priority: int = 0, **more: Any) -> Policy:
    """An ALLOW, `a`."""
    return {"id": "a", "effect": "ALLOW", "priority": priority, "roles": ["editor"]} | more


def deny(priority: int = 0, **more: Any) -> Policy:
    """A DENY, `d`."""
    return {"id": "d", "effect": "DENY", "priority": priority} | more


def when(key: str, op: str, value: Any, section: str = "resource_attrs") -> Policy:
    """Under one condition."""
    return {"conditions": {section: [{"key": key, "op": op, "value": value}]}}


def on(type_id: str, *actions: str) -> Policy:
    """On other actions."""
    return {"resource_types": [{"resource_type_id": type_id, "actions": list(actions)}]}


def window(**members: Any) -> Policy:
    """In a time window."""
    return {"conditions": {"time_window": members}}


def addresses(*blocks: str) -> Policy:
    """From these addresses."""
    return {"conditions": {"ip_allowlist": list(blocks)}}


def told(code: str, text: str, now: float | None = None) -> list[str]:
    """The messages of the warnings with a code, in the order of the document."""
    return [one.message for one in load_text(text, now=now, ignored=()).diagnostics if one.code == code]


def places(code: str, text: str, now: float | None = None) -> list[str]:
    """The paths of the warnings with a code."""
    return [one.path for one in load_text(text, now=now, ignored=()).diagnostics if one.code == code]
