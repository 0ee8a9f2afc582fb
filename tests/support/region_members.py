"""Tells which requests lie in a region of an analysis, by the oracle's reading of requests."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from math import floor
from typing import Any

from writ.bundles.conditions import gates
from writ.bundles.conditions.intervals import united
from writ.bundles.conditions.trees.tree import And, Const, FilterTree, Not, Or, TreeComparison
from writ.compiler.analysis.conditions import variables
from writ.compiler.analysis.conditions.relations import operators
from writ.compiler.analysis.models.people import Person
from writ.compiler.analysis.regions import OWN_ID, People, Region

from tests.support import oracle
from tests.support.oracle_conditions import attribute, can_be_compared, compare, value_of
from tests.support.oracle_entities import (
    Question,
    groups_of,
    key_of,
    question,
    registered_resources,
    registered_subjects,
    resource_key,
    subject_key,
)
from tests.support.oracle_gates import address, zone
from tests.support.oracle_instants import EPOCH, instant, instant_of_request, text_instant

Document = dict[str, Any]
Documents = tuple[Document, Document]


def lies_in(found: People, region: Region, documents: Documents, request: Document, now: float) -> bool:
    """Returns whether a request is one of a region's. `found` is the analysis that has the region."""
    if region.pair != (request["resource"]["type"], request["action"]["name"]):
        return False
    names = ((kind, request["resource"].get(kind)) for kind in ("external_id", "name"))
    name = next((one for one in names if one[1]), None)
    if region.resource_name != (name if name in found.apart.get(region.pair, ()) else None):
        return False
    asked = [question(document, request, now) for document in documents]
    is_of_region = has_subject(lambda: region.subjects, region.others, documents, request, asked)
    return is_of_region and holds(region.when, documents, asked)


def lies_in_reasons(found: People, documents: Documents, request: Document, now: float) -> bool | None:
    """Returns whether only the reason of a request changes, by the regions of an analysis; None if they are unknown."""
    pair = request["resource"]["type"], request["action"]["name"]
    told = next((one.regions for one in found.reasons if one.pair == pair), ())
    if told is None:
        return None
    asked = [question(document, request, now) for document in documents]
    return any(
        has_subject(one.members, one.has_others, documents, request, asked)
        and holds(region.change.when, documents, asked)
        for region in told
        for one in region.classes
    )


def has_subject(
    members: Callable[[], Iterable[Person]],
    has_others: bool,
    documents: Documents,
    request: Document,
    asked: list[Question],
) -> bool:
    """Returns whether the subject of a request is one of some members, or of all that neither model names."""
    before, after = map(subject_key, asked)
    if before != after:
        external = before[0], request["subject"]["external_id"]
        return any((one.shown.type, one.external_id) == external for one in members())
    if before in {*registered_subjects(documents[0]), *registered_subjects(documents[1])}:
        return any(one.external_id is None and one.shown == before for one in members())
    return has_others


def holds(tree: FilterTree, documents: Documents, asked: list[Question]) -> bool:
    """Returns whether a condition is true of a question, which is asked of both models."""
    match tree:
        case Const(value):
            return value
        case And(children):
            return all(holds(child, documents, asked) for child in children)
        case Or(children):
            return any(holds(child, documents, asked) for child in children)
        case Not(child):
            return not holds(child, documents, asked)
        case TreeComparison(key, op, value) if variables.is_attribute(key):
            section, name = variables.parts(key)
            id = asked[0].subject.id
            value = [id if one == OWN_ID else one for one in value] if isinstance(value, list) else value
            return compare(op, attribute(section, name, asked[0]), id if value == OWN_ID else value)
        case TreeComparison(key, _, values):
            found = special(key, documents, asked)
            spans = [one for one in values if isinstance(one, list)]
            return found in values if isinstance(found, str) else any(low <= found < high for low, high in spans)
    raise AssertionError(tree)


def special(key: str, documents: Documents, asked: list[Question]) -> Any:
    """The value of a special variable: a number of its line, or a state."""
    one = asked[0]
    if key == variables.CLOCK:
        return one.now
    if key == gates.ADDRESS:
        return address_number(one)
    if key in (variables.GRANT, variables.OTHER_GRANT):
        others = key == variables.OTHER_GRANT
        before, after = (terms(document, of, others=others) for document, of in zip(documents, asked, strict=True))
        in_force = before == after and any(low <= one.now < high for low, high in before)
        return variables.YES if in_force else variables.NO
    if key == variables.REGISTERED:
        closed = [(d, of) for d, of in zip(documents, asked, strict=True) if (of.resource_type or {}).get("closed")]
        known = all(resource_key(of) in set(registered_resources(document)) for document, of in closed)
        return variables.YES if known else variables.NO
    if key == variables.RATE:
        limited = any("rate_limit" in one.get("conditions", {}) for one in documents[1].get("policies", []))
        return (
            variables.NO if limited else variables.YES
        )  # the oracle has no counters here: each limit is reached (C10)
    if variables.is_reference(key):
        return reference(key, one)
    return moment(key, one)


def moment(key: str, one: Question) -> Any:
    """The instant of a request, its minute of the week, or its order with an attribute's instant."""
    when = instant_of_request(one)
    if variables.is_now(key):
        _, section, name = variables.parts(key)
        value = attribute(section, name, one)
        left = None if value is None else text_instant(value)
        if value is None:
            return variables.MISSING
        if left is None or when is None:
            return variables.UNREADABLE
        return variables.SAME if left == when else variables.BEFORE if left < when else variables.AFTER
    if when is None:
        return variables.UNREADABLE
    if key == gates.INSTANT:
        return int(when * 10**9)
    try:
        local = (EPOCH + timedelta(seconds=floor(when))).astimezone(zone(variables.parts(key)[1]))
    except OverflowError:
        return variables.UNREADABLE
    return (local.weekday() * 24 + local.hour) * 60 + local.minute


def address_number(one: Question) -> Any:
    """The address of a request as a number (C9)."""
    sent = one.context.get("ip")
    sent = one.context.get("ip_address") if sent is None else sent
    if sent is None:
        return variables.MISSING
    found = address(sent)
    if found is None:
        return variables.UNREADABLE
    return int(found) + (gates.V6_START if found.version == 6 else 0)


def reference(key: str, one: Question) -> str:
    """The relation of an attribute with the value that a reference names: the results of all operators (X2)."""
    _, section, name, referred = variables.parts(key)
    left, right = attribute(section, name, one), value_of(referred, one)
    return "".join(related(op, left, right) for op in operators())


def related(op: str, left: Any, right: Any) -> str:
    """The result of one comparison with a reference, as a letter (X2)."""
    if left is None:
        return "n"
    if not can_be_compared(op, right):
        return "?"
    return "y" if compare(op, left, right) else "n"


def terms(document: Document, asked: Question, *, others: bool) -> list[tuple[float, float]]:
    """The times at which the subject of a question has a grant of the action, or of others, on its resource."""
    groups, found = groups_of(document, subject_key(asked)), []
    for grant in document.get("grants", []):
        mine = grant["group"] in groups if "group" in grant else key_of(grant["subject"]) == subject_key(asked)
        on_it = asked.resource_type is not None and key_of(grant["resource"]) == resource_key(asked)
        type = asked.resource_type or {}
        actions = [one for one in type.get("actions", ()) if (one != asked.action) == others]
        if mine and on_it and any(oracle.covers(grant["actions"], type, one) for one in actions):
            low = float(instant(grant["starts_at"]) or 0) if "starts_at" in grant else float("-inf")
            high = float(instant(grant["expires_at"]) or 0) if "expires_at" in grant else float("inf")
            found.append((low, high))
    return united(found)
