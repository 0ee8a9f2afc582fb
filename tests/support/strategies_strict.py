"""Hypothesis strategies for declarations and for requests that keep to them, nearly."""

from typing import Any

from hypothesis import strategies as st

from tests.support.strategies_pick import Pick

KEYS = ("status", "size", "a", "a.b", "a.c.d", "id", "time")
VALUES: tuple[Any, ...] = (
    *("draft", "final", "", 1, 1.0, 2, True, False, None, [], ["draft"], ["draft", 1], [True], {}, {"b": 1}),
    *({"b": "draft"}, {"b": None, "x": 1}, {"c": {"d": True}}, {"c": 1}, {"a": 1}, "2027-01-31T09:00:00Z"),
    *("2027-01-31T09:00+01:00", "2027-01-31", "true", "1"),
)
ONE_OF: dict[str, tuple[Any, ...]] = {
    "string": ("draft", "final", ""),
    "number": (1, 2.5),
    "boolean": (True,),
    "instant": ("2027-01-31T09:00:00Z",),
    "array": ("draft", 1, True),
    "object": ({"b": 1}, {}),
}
ACTIONS = ("read", "write")
TYPES = ("document", "d", "other")
SUBJECTS = ("user", "bot")


@st.composite
def strict_cases(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], str]:
    """A model, a request and its kind."""
    pick = Pick.drawn(draw)
    return model(pick), request(pick), pick.one(("evaluation", "evaluation", "resource", "subject", "action"))


@st.composite
def registered_cases(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A model with registered entities, and an evaluation that their attributes complete (E9)."""
    pick = Pick.drawn(draw)
    document, asked = model(pick), request(pick)
    found = {"subject": asked["subject"], "resource": asked["resource"]}
    subjects = [{"type": asked["subject"]["type"], "id": "alice", "attributes": bag(pick)}]
    subjects += [{"type": "service", "id": "summaries", "attributes": bag(pick)}]
    resources = [{"type": one, "id": "1", "attributes": bag(pick)} for one in ("d", "other")]
    asked |= {name: {key: value for key, value in one.items() if key != "external_id"} for name, one in found.items()}
    asked["options"] = (asked.get("options") or {}) | {"attributes": "registered"}
    return document | {"subjects": subjects, "resources": resources}, asked


def model(pick: Pick) -> dict[str, Any]:
    """A model whose policy reads an attribute, so that decisions differ."""
    document = {"id": "d", "name": "document", "actions": ["read"]} | pick.member(3, 4, "attributes", kinds(pick))
    sections = pick.member(3, 4, "subject", {pick.one(SUBJECTS): kinds(pick)})
    sections |= pick.member(1, 2, "context", kinds(pick)) | pick.member(1, 2, "action", kinds(pick))
    policy = {"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "*", "actions": ["*"]}]}
    types = [document, {"id": "other", "actions": [*ACTIONS]}]
    return {"model": 1, "resource_types": types, "policies": [policy]} | pick.member(5, 6, "attributes", sections)


def kinds(pick: Pick) -> dict[str, Any]:
    """Declarations of some attributes."""
    return {key: declared(pick) for key in pick.some(KEYS, 0, 4)}


def declared(pick: Pick) -> Any:
    """A declaration, in its short or its long form."""
    kind = pick.one(tuple(ONE_OF))
    if pick.chance(1, 3):
        return kind
    stated: dict[str, Any] = {"kind": kind} | pick.member(1, 2, "required", pick.chance(2, 3))
    return stated | pick.member(1, 2, "one_of", pick.some(ONE_OF[kind], 1, 2))


def request(pick: Pick) -> dict[str, Any]:
    """A well-formed request, with a wrong member now and then."""
    found: dict[str, Any] = {
        "subject": {"type": pick.one(SUBJECTS), "id": "alice"} | bags(pick),
        "action": {"name": pick.one(ACTIONS)} | pick.member(1, 2, "properties", bag(pick)),
        "resource": {"type": pick.one(TYPES), "id": "1"} | bags(pick),
    }
    found |= pick.member(2, 3, "context", bag(pick) | pick.member(1, 5, "ip", 3))
    found |= (
        pick.member(1, 3, "options", options(pick)) | pick.member(1, 8, "contxt", {}) | pick.member(1, 8, "page", {})
    )
    for name in ("subject", "action", "resource"):
        found[name] |= pick.member(1, 8, pick.one(("nme", "attribute", "external_id")), None)
    return found


def options(pick: Pick) -> dict[str, Any]:
    """Options of an evaluation or of a search, known and unknown."""
    found: dict[str, Any] = pick.member(1, 3, "explain", False) | pick.member(1, 3, "strict", pick.chance(1, 2))
    found |= pick.member(2, 3, "actor", pick.one((actor(pick), actor(pick), actor(pick), None)))
    return found | pick.member(1, 4, pick.one(("stric", "return", "valid_until")), None)


def actor(pick: Pick) -> dict[str, Any]:
    """A subject that acts for the subject, with a wrong member now and then (A1)."""
    found = {"type": pick.one((*SUBJECTS, "service")), "id": "summaries"} | bags(pick)
    return found | pick.member(1, 8, pick.one(("nme", "name", "actor", "external_id")), None)


def bags(pick: Pick) -> dict[str, Any]:
    """Attributes of an entity, in one bag or two."""
    return pick.member(2, 3, "properties", bag(pick)) | pick.member(1, 3, "attributes", bag(pick))


def bag(pick: Pick) -> dict[str, Any]:
    """Some attributes."""
    return {key: pick.one(VALUES) for key in pick.some((*KEYS, "stauts"), 0, 4)}
