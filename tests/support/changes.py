"""Applies changes of `why_not` to a document and a request, and tries others by brute force."""

from typing import Any

from writ.runtime.why_not.asked import is_plain

from tests.support import oracle, oracle_entities
from tests.support.oracle import groups_of, key_of
from tests.support.strategies_pick import Pick
from tests.support.strategies_values import LOOK_ALIKES, NUMBERS, TEXTS

Document = dict[str, Any]
Change = dict[str, Any]

INSTANTS = ("1970-01-01T00:00:00Z", "2026-01-03T12:00:00Z", "2026-01-05T10:00:00Z", "0001-01-02T00:00:00Z")
ADDRESSES = ("10.0.0.1", "11.0.0.0", "::1", "2001:db8::1", "203.0.113.9")


def applied(document: Document, request: Document, changes: list[Change], now: float) -> tuple[Document, Document]:
    """The document and the request after changes."""
    document = {name: [*part] if isinstance(part, list) else part for name, part in document.items()}
    request = {name: dict(part) if isinstance(part, dict) else part for name, part in request.items()}
    asked = oracle_entities.question(document, request, now)
    for one in changes:
        match one["kind"]:
            case "attribute" | "time" | "address":
                set_attribute(request, one["path"], one["value"])
            case "policy":
                rows = [row | {"enabled": False} if row["id"] == one["policy"] else row for row in document["policies"]]
                document["policies"] = rows
            case "register":
                document.setdefault("resources", []).append(resource_of(asked))
            case "grant":
                holder = {"type": asked.subject.type, "id": asked.subject.id}
                grant = {"id": "new", "subject": holder, "resource": resource_of(asked), "actions": [asked.action]}
                document.setdefault("grants", []).append(grant)
            case "person":
                request["subject"] = request["subject"] | {"id": one.get("id", "someone-else")}
                holding_the_same(document, oracle_entities.subject_key(asked), request["subject"]["id"])
                asked = oracle_entities.question(document, request, now)
            case "role":
                change_role(document, oracle_entities.subject_key(asked), one)
    return document, request


def resource_of(asked: oracle_entities.Question) -> Document:
    assert asked.resource_type is not None
    return {"type": asked.resource_type["id"], "id": asked.resource.id}


def holding_the_same(document: Document, subject: tuple[str, Any], id: str) -> None:
    """Replace a subject by another one, who holds the same and is in the same groups."""
    mine, other = {"type": subject[0], "id": subject[1]}, {"type": subject[0], "id": id}

    def turned(value: Any) -> Any:
        if isinstance(value, list):
            return [turned(one) for one in value if one != other] if other in value else [*map(turned, value)]
        return other if value == mine else value

    for name in ("assignments", "grants"):
        rows = [row for row in document.get(name, []) if row.get("subject") != other]
        document[name] = [{key: turned(value) for key, value in row.items()} for row in rows]
    document["groups"] = [row | {"members": turned(row.get("members", []))} for row in document.get("groups", [])]
    subjects = [row for row in document.get("subjects", []) if (row["type"], row["id"]) != (subject[0], id)]
    document["subjects"] = [row | {"id": id} if (row["type"], row["id"]) == subject else row for row in subjects]


def change_role(document: Document, subject: tuple[str, Any], change: Change) -> None:
    """Give a role to the subject, or delete each assignment by which the subject holds it."""
    rows = document.setdefault("assignments", [])
    if change["change"] == "give":
        rows.append({"role": change["role"], "subject": {"type": subject[0], "id": subject[1]}})
        return
    groups = groups_of(document, subject)
    document["assignments"] = [
        row
        for row in rows
        if row["role"] != change["role"]
        or not (row["group"] in groups if "group" in row else key_of(row["subject"]) == subject)
    ]


def set_attribute(request: Document, path: str, value: Any) -> None:
    owner, _, key = path.partition(".")
    if owner == "context":
        request["context"] = {**(request.get("context") or {}), key: value}
    else:
        request[owner]["properties"] = {**(request[owner].get("properties") or {}), key: value}


def allows(document: Document, request: Document, changes: list[Change], now: float) -> bool:
    """Returns whether the oracle allows after changes."""
    return bool(oracle.decide(*applied(document, request, changes, now), now)["decision"])


def authors(document: Document) -> set[str]:
    """The attributes that say whose a resource is, which are facts: they are held against the subject's id."""
    return {
        f"resource.{one['key']}"
        for policy in document.get("policies", [])
        for one in (policy.get("conditions") or {}).get("resource_attrs") or []
        if one.get("value_of") == "subject.id" and one["op"] in ("eq", "ne")
    }


class BruteForce:
    """Draws changes of a question at random: attributes that policies read, with any values, and the model's facts."""

    def __init__(self, document: Document, request: Document, now: float):
        self.asked = oracle_entities.question(document, request, now)
        self.held = {role for role, _ in oracle.roles_of(document, oracle_entities.subject_key(self.asked), now)}
        self.paths: set[str] = set()
        self.constants: list[Any] = [*LOOK_ALIKES, *TEXTS, *NUMBERS, None, *self.held]
        for policy in document.get("policies", []):
            self._read(policy.get("conditions") or {})
        self.paths -= authors(document)
        self.constants += [[one] for one in self.constants if one is not None]
        owners = {"subject": self.asked.subject.attributes, "resource": self.asked.resource.attributes}
        owners |= {"action": self.asked.action_properties, "context": self.asked.context}
        self.constants += [value for sent in owners.values() for value in sent.values() if is_plain(value)]
        self.units = [("attribute", path) for path in sorted(self.paths) if not self._is_on_a_path(path)]
        self.units += [
            ("policy", policy["id"]) for policy in document.get("policies", []) if policy["effect"] == "DENY"
        ]
        if self.asked.subject.id is not None:
            self.units += [("role", role["id"]) for role in document.get("roles", [])]
        if None not in (self.asked.subject.id, self.asked.resource.id):
            self.units.append(("grant", ""))
        if self.asked.resource.id is not None and oracle_entities.out_of_reach(document, self.asked):
            self.units.append(("register", ""))

    def _read(self, conditions: Document) -> None:
        for owner in ("subject", "resource", "action", "context"):
            for one in conditions.get(f"{owner}_attrs") or []:
                self.paths.add(f"{owner}.{one['key']}")
                if one.get("value_of") == "now":
                    self.paths.add("context.time")
                elif "value_of" in one:
                    self.paths.add(one["value_of"])
                else:
                    values = one["value"] if isinstance(one["value"], list) else [one["value"]]
                    self.constants += [one["value"], *values]
        self.paths.update(f"{of.removesuffix('_attrs')}.{key}" for of, key, _ in self.asked.declared)
        if "time_window" in conditions:
            self.paths.add("context.time")
        if "ip_allowlist" in conditions:
            self.paths.add("context.ip")
        own = {"subject.id", "subject.type", "resource.id", "resource.type", "subject.groups"}
        self.paths -= own

    def _is_on_a_path(self, path: str) -> bool:
        """A value for this key may change what a longer key reads, which is a change of the longer key."""
        return any(other.startswith(f"{path}.") for other in self.paths)

    def drawn(self, pick: Pick) -> list[Change]:
        """One to three changes, and a key that names them."""
        return [self._change(pick, unit) for unit in pick.some(self.units, 1, min(3, len(self.units)))]

    def _change(self, pick: Pick, unit: tuple[str, str]) -> Change:
        kind, name = unit
        if kind == "attribute":
            pool = {"context.time": INSTANTS, "context.ip": ADDRESSES}.get(name, self.constants)
            return {"kind": kind, "path": name, "value": pick.one(pool if pick.chance(3, 4) else self.constants)}
        if kind == "role":
            return {"kind": kind, "role": name, "change": "take" if name in self.held else "give"}
        return {"kind": kind, "policy": name} if kind == "policy" else {"kind": kind}


def key_of_change(change: Change) -> tuple[str, str]:
    """The place that a change changes, the same for each new value."""
    kind = "attribute" if change["kind"] in ("time", "address") else change["kind"]
    return kind, change.get("path") or change.get("role") or change.get("policy") or ""
