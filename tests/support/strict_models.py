"""Random models with strict requests, whose declarations fit their conditions, and requests that keep to them (E8)."""

from collections.abc import Iterator
from typing import Any

from tests.support.analysing import edited
from tests.support.element_edits import with_edits
from tests.support.oracle_strict import strict_faults
from tests.support.strategies import document
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request
from tests.support.strategies_required import KINDS, fits, sections_of
from tests.support.strategies_strict import ONE_OF
from tests.support.strategies_values import SUBJECT_TYPES

Document = dict[str, Any]
Kinds = dict[str, Any]

OWN = {("subject", "id"), ("subject", "type"), ("subject", "groups"), ("resource", "id"), ("resource", "type")}
TRIES = 8
MOST = 3


def strict_pair(seed: int) -> tuple[Document, Document]:
    """A strict model, and the same one with small edits. The second need not be valid."""
    pick = Pick.seeded(seed)
    before = strict_document(pick)
    if seed % 3 == 0:
        return before, with_edits(before, seed)[0]
    return before, edited(before, seed)


def strict_document(pick: Pick) -> Document:
    """A strict model that declares what its conditions compare, some of it required or with few values."""
    found = document(pick)
    kinds: dict[str, Kinds] = {"subject": {}, "action": {}, "resource": {}, "context": {}}
    for section, conditions in sections_of(found):
        conditions[:] = [one for one in conditions if declare(pick, kinds, section, one)]
    constants = constants_of(found)
    declared = {
        name: {key: stated(pick, kind, constants) for key, kind in found.items()} for name, found in kinds.items()
    }
    for name in declared:
        declared[name] |= pick.member(1, 3, "unread", {"kind": pick.one(KINDS), "required": True})
    for type in found.get("resource_types", []):
        type["attributes"] = declared["resource"]
    found["attributes"] = {"context": declared["context"], "action": declared["action"]}
    found["attributes"]["subject"] = dict.fromkeys(SUBJECT_TYPES, declared["subject"])
    return found | {"requests": "strict"}


def declare(pick: Pick, kinds: dict[str, Kinds], section: str, condition: Document) -> bool:
    """Choose kinds for the attributes that a condition compares. Returns whether there are some."""
    source, _, referred = condition.get("value_of", "").partition(".")
    named = [(section.removesuffix("_attrs"), condition["key"], True)]
    named += [(source, referred, False)] if referred else []
    for name, key, is_left in named:
        if (name, key) in OWN or "." in key:
            continue
        fitting = [kind for kind in KINDS if fits(kind, condition, is_left=is_left)]
        if key not in kinds[name] and fitting:
            kinds[name][key] = pick.one(fitting)
        if kinds[name].get(key) not in fitting:
            return False
    for name, key, _ in named:
        if "." in key and (name, key) not in OWN:  # a path is declared by the object that it begins with
            first = key.split(".")[0]
            if kinds[name].setdefault(first, "object") != "object":
                return False
    return True


def stated(pick: Pick, kind: str, constants: list[Any]) -> Any:
    """A declaration of a kind: half of them required, and some with a list of values."""
    one: Document = {"kind": kind} | pick.member(1, 2, "required", True)
    fitting = [value for value in (*constants, *ONE_OF[kind]) if is_of_kind(kind, value)]
    return one | pick.member(1, 4, "one_of", fitting)


def is_of_kind(kind: str, value: Any) -> bool:
    """Returns whether a value may be listed for a kind: an element of an array, or a value itself."""
    return not strict_faults_of({"kind": kind if kind != "array" else "string"}, value)


def constants_of(document: Document) -> list[Any]:
    """The constants that conditions compare with."""
    return [value for _, rows in sections_of(document) for row in rows for value in flat(row.get("value"))]


def flat(value: Any) -> list[Any]:
    """A value, or the elements of an array."""
    return value if isinstance(value, list) else [value]


def strict_faults_of(declared: Document, value: Any) -> bool:
    """Returns whether a value of an attribute has a fault."""
    model = {"attributes": {"context": {"x": declared}}, "resource_types": [{"id": "t", "actions": ["a"]}]}
    asked = {"subject": {"type": "u", "id": "1"}, "action": {"name": "a"}, "resource": {"type": "t", "id": "1"}}
    return value is None or bool(strict_faults(model, {**asked, "context": {"x": value}}))


def accepted_requests(pick: Pick, documents: tuple[Document, Document]) -> Iterator[Document]:
    """Requests without a fault in either model, of a few that are tried."""
    for number in range(TRIES):
        one = documents[number % 2]
        asked = kept_to(pick, request(pick, one), one)
        if not any(faults_of(document, asked) for document in documents):
            yield asked


def faults_of(document: Document, asked: Document) -> list[tuple[str, str]]:
    """The faults for which a model refuses a request."""
    return strict_faults(document, asked) if document.get("requests") == "strict" else []


def kept_to(pick: Pick, asked: Document, document: Document) -> Document:
    """A request with attributes that a model declares: most of them, and all that it requires."""
    declared, constants = document["attributes"], constants_of(document)
    types = {one.get("name", one["id"]): one for one in document.get("resource_types", [])}
    found = {name: identity(asked[name]) for name in ("subject", "action", "resource")}
    kinds = {
        "subject": declared["subject"].get(found["subject"]["type"], {}),
        "action": declared["action"],
        "resource": types.get(found["resource"]["type"], {}).get("attributes", {}),
    }
    for name, of in kinds.items():
        found[name]["properties"] = bag(pick, of, constants)
    sent = asked.get("context") or {}
    gates = {name: sent[name] for name in ("time", "ip") if name in sent and name not in declared["context"]}
    return found | {"context": gates | bag(pick, declared["context"], constants)}


def identity(entity: Document) -> Document:
    """An entity with its type and one identifier."""
    return {name: entity[name] for name in ("type", "id", "external_id", "name") if entity.get(name)}


def bag(pick: Pick, kinds: Kinds, constants: list[Any]) -> Document:
    """Values of declared attributes."""
    found = {}
    for key, declared in kinds.items():
        stated = declared if isinstance(declared, dict) else {"kind": declared}
        listed = stated.get("one_of") or []
        tried = [*constants, *listed, [*constants[:MOST]], *([one] for one in (*constants, *listed)), *FEW]
        fitting = [value for value in tried if not strict_faults_of(stated, value)]
        if fitting and (stated.get("required") or pick.chance(3, 4)):
            found[key] = pick.one(fitting)
    return found


FEW = ("a", 1, True, "2027-01-31T09:00:00Z", ["a"], {}, {"b": 1}, {"b": "a"}, {"b": True})
"""Values of all kinds."""
