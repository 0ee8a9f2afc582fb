"""Strict requests by rule E8, naive: the codes and paths of all faults of a request, in order.

It reads the model document and the request as they are, without the compiler and the engine.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

Fault = tuple[str, str]
MEMBERS = {
    "subject": ["type", "id", "external_id", "properties", "attributes"],
    "resource": ["type", "id", "external_id", "name", "properties", "attributes"],
    "action": ["name", "properties"],
}
REQUEST = ["subject", "action", "resource", "context", "options", "page"]
EVALUATION = ["explain", "valid_until", "attributes", "strict", "actor"]
SEARCH = ["return", "attributes", "strict", "actor"]
RESOURCE_SEARCH = [*SEARCH, "include_direct", "gates"]


def strict_faults(document: dict[str, Any], request: dict[str, Any], kind: str = "evaluation") -> list[Fault]:
    """The faults of a well-formed request. `kind` is `evaluation`, or what is searched.

    Where registered attributes complete the request, `missing_faults` has those of its entities (E9).
    """
    is_evaluation = kind == "evaluation"
    inside = [name for name in (request.get("options") or {}).get("actor") or () if name not in MEMBERS["subject"]]
    if inside:  # the request is malformed, whether it is strict or not (A1)
        return [("unknown-member", f"$.options.actor.{inside[0]}")]
    needs_all = is_evaluation and (request.get("options") or {}).get("attributes") is None
    declared = document.get("attributes") or {}
    types = {type.get("name") or type["id"]: type for type in document.get("resource_types", [])}
    found: list[Fault] = []
    if kind != "subject":
        subject = request["subject"]
        found += entity("subject", subject, (declared.get("subject") or {}).get(subject["type"]), needs_all)
    asked = types.get(request["resource"]["type"])
    if kind != "action":
        if asked is not None and request["action"]["name"] not in asked["actions"]:
            found.append(("undeclared-action", "$.action.name"))
        found += entity("action", request["action"], declared.get("action"), is_evaluation)
    if asked is None:
        found.append(("undeclared-type", "$.resource.type"))
    if kind != "resource":
        found += entity("resource", request["resource"], asked and asked.get("attributes"), needs_all)
    if declared.get("context") is not None:
        always = dict.fromkeys(("time", "ip", "ip_address")) | declared["context"]
        found += attributes("$.context", [("", request.get("context") or {})], always, is_evaluation)
    options = request.get("options") or {}
    known = EVALUATION if is_evaluation else RESOURCE_SEARCH if kind == "resource" else SEARCH
    found += [("unknown-member", f"$.options.{name}") for name in options if name not in known]
    actor = options.get("actor")
    if actor is not None:
        kinds = (declared.get("subject") or {}).get(actor["type"])
        found += entity("subject", actor, kinds, needs_all, "$.options.actor")
    return found + [("unknown-member", f"$.{name}") for name in request if name not in REQUEST]


def missing_faults(document: dict[str, Any], request: dict[str, Any], *names: str) -> list[Fault]:
    """The required attributes of a subject, a resource or an actor that are neither sent nor registered (E9)."""
    declared, found = document.get("attributes") or {}, []
    for name in names:
        sent = request["options"]["actor"] if name == "options.actor" else request[name]
        if name == "resource":
            type = next(one for one in document["resource_types"] if (one.get("name") or one["id"]) == sent["type"])
            kinds, id_ = type.get("attributes"), type["id"]
        else:
            kinds, id_ = (declared.get("subject") or {}).get(sent["type"]), sent["type"]
        listed = document.get("resources" if name == "resource" else "subjects", ())
        same = (one["attributes"] for one in listed if (one["type"], one["id"]) == (id_, sent["id"]))
        bags = [(".properties", next(same, {}) | (sent.get("attributes") or {}) | (sent.get("properties") or {}))]
        found += [one for one in attributes(f"$.{name}", bags, kinds or {}, True) if one[0] == "missing-required"]
    return found


def entity(
    name: str, sent: dict[str, Any], kinds: dict[str, Any] | None, needs_all: bool, path: str | None = None
) -> Iterator[Fault]:
    """The faults of a subject, an action or a resource. An actor is a subject at another path (A1)."""
    at = path or f"$.{name}"
    for member in sent:
        if member not in MEMBERS[name]:
            yield "unknown-member", f"{at}.{member}"
    if kinds is not None:
        bags = [(".properties", sent.get("properties") or {})]
        if name != "action":
            bags.append((".attributes", sent.get("attributes") or {}))
        yield from attributes(at, bags, kinds, needs_all)


def attributes(
    at: str, bags: list[tuple[str, dict[str, Any]]], kinds: dict[str, Any], needs_all: bool
) -> Iterator[Fault]:
    """The faults of bags of attributes, of which the first one counts (E4)."""
    merged = {key: value for _, bag in reversed(bags) for key, value in bag.items()}

    def path(key: str, member: str) -> str:
        return next((f"{at}{name}.{key}" for name, bag in bags if member in bag), f"{at}{bags[0][0]}.{key}")

    listed = {*kinds, *(key.split(".")[0] for key in kinds)}
    for key in merged:
        if key not in listed:
            yield "undeclared-attribute", path(key, key)
    for key in sorted(key for key, kind in kinds.items() if kind is not None):
        stated = kinds[key] if isinstance(kinds[key], dict) else {"kind": kinds[key]}
        member, value = key, merged.get(key)
        if value is None and "." in key:
            member, value = key.split(".")[0], merged
            for step in key.split("."):
                value = value.get(step) if isinstance(value, dict) else None
        if value is None:
            if needs_all and stated.get("required"):
                yield "missing-required", f"{at}{bags[0][0]}.{key}"
        elif not is_of(stated["kind"], value):
            yield "wrong-type", path(key, member)
        elif stated.get("one_of") is not None:
            elements = value if stated["kind"] == "array" else [value]
            if not all(any(equal(one, other) for other in stated["one_of"]) for one in elements):
                yield "wrong-value", path(key, member)


def is_of(kind: str, value: Any) -> bool:
    """Returns whether a value has a declared type."""
    if kind == "instant":
        return isinstance(value, str) and is_instant(value)
    if kind in ("number", "boolean"):
        return isinstance(value, int | float) and isinstance(value, bool) == (kind == "boolean")
    return isinstance(value, {"string": str, "array": list, "object": dict}[kind])


def is_instant(text: str) -> bool:
    """Returns whether a text is RFC 3339 with an offset, for the texts of the tests."""
    try:
        return "T" in text and datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def equal(one: Any, other: Any) -> bool:
    """Returns whether two JSON values are equal (C3)."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
    return (type(one) in (int, float) and type(other) in (int, float) and one == other) or (
        isinstance(one, str) and isinstance(other, str) and one == other
    )
