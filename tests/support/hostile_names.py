"""Names that try to be something else where they are shown: code, markup, another line, or an order to a terminal."""

import re
from typing import Any, Final

Document = dict[str, Any]

HOSTILE_NAMES: Final = (
    "a`b",
    "``` end",
    "a\nno effect: nobody gains or loses anything",
    "a\r\n\r\n# A heading\r\n",
    "\x1b[2K\x1b[31mred\x1b[0m",
    "\x9b1mred",
    "\u202erotide\u202c",
    "\u2066isolated\u2069\u200f",
    "a\u2028b\u0085c",
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "**bold** _it_ ~~no~~ [link](https://a.example) ![x](y)",
    "| a | b |\n|---|---|",
    "everyone else",
    "`x` and user",
    "#### heading",
    '"quoted" \\ back',
    "\x00\x07\x08",
    "zero\u200bwidth\ufeff",
    "x" * 512,
)

UNSAFE: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
"""Characters that no output to a terminal may have: controls but the end of a line, directions, and hidden ones."""


def hostile_model() -> Document:
    """A model in which everything has a hostile name: who may do what depends on each."""
    names = HOSTILE_NAMES
    return {
        "model": 1,
        "resource_types": [{"id": name, "actions": [name]} for name in names],
        "roles": [{"id": name, "name": name} for name in names],
        "groups": [{"id": name, "name": name, "members": [{"type": name, "id": name}]} for name in names],
        "subjects": [{"type": name, "id": name, "external_id": name} for name in names],
        "resources": [{"type": name, "id": name, "name": name} for name in names],
        "assignments": [{"role": name, "group": name} for name in names]
        + [{"role": name, "subject": {"type": name, "id": f"{name[:500]}2"}} for name in names],
        "grants": [
            {"group": name, "resource": {"type": name, "id": name}, "actions": [name], "id": name[:500] + "-grant"}
            for name in names
        ],
        "policies": [policy_named(name) for name in names],
    }


def policy_named(name: str) -> Document:
    """A policy with a hostile name, role, type, action, key and value."""
    key = name[:256]
    return {
        "id": name,
        "name": name,
        "description": name,
        "effect": "ALLOW",
        "roles": [name],
        "resource_types": [{"resource_type_id": name, "actions": [name]}],
        "conditions": {
            "resource_attrs": [{"key": key, "op": "eq", "value": name}],
            "context_attrs": [{"key": key, "op": "in", "value": [name, "b"]}],
        },
    }


def narrower(model: Document) -> Document:
    """The model with other conditions, other assignments and fewer grants."""
    changed = [
        {**one, "conditions": {"resource_attrs": [one["conditions"]["resource_attrs"][0]]}} for one in model["policies"]
    ]
    return {
        **model,
        "policies": changed,
        "assignments": model["assignments"][: len(HOSTILE_NAMES)],
        "grants": model["grants"][::2],
    }
