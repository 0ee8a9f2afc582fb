"""Analyses pairs of documents, as `writ diff --people` does, with the engine as the judge of witnesses."""

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

from writ.bundles import zones
from writ.bundles.file.in_memory import bundle_in_memory
from writ.compiler.analysis.compare import Comparison
from writ.compiler.analysis.limits import DEFAULT, Limits
from writ.compiler.analysis.models.bundle_side import bundle_side
from writ.compiler.analysis.models.model_side import model_side
from writ.compiler.analysis.models.sides import Side
from writ.compiler.analysis.regions import People
from writ.compiler.compile import compile_model
from writ.compiler.load import load
from writ.compiler.source import Source
from writ.runtime import BadRequest, Engine, RateCounters

Document = dict[str, Any]
Judge = Callable[[Any, float], str | None]

COUNTER_BYTES = 16 * 1024


def analysed(before: Document, after: Document, limits: Limits = DEFAULT, *, as_bundles: bool = False) -> People:
    """The differences of two documents, with witnesses that both engines decided."""
    sides = [prepared(document, as_bundles) for document in (before, after)]
    (old, judge_old), (new, judge_new) = sides
    return Comparison(old, new, (judge_old, judge_new), zones.installed_zone, limits).run()


def is_valid(document: Document) -> bool:
    """Returns whether a document passes its checks."""
    return loaded_model(document) is not None


def loaded_model(document: Document) -> Any:
    """The checked model of a document, or None."""
    return load([Source("model.json", json.dumps({"model": 1} | document).encode())], zones.zone_names()).model


def prepared(document: Document, as_bundle: bool) -> tuple[Side, Judge]:
    """The side of a document, and a function that lets its engine decide."""
    model = loaded_model(document)
    compiled = compile_model(model, zones.zone_data, zones.VERSION)
    bundle = bundle_in_memory(compiled.write)
    engine = Engine(bundle, lambda: 0.0)

    def judge(request: Any, now: float) -> str | None:
        try:
            answer = engine.counting(RateCounters(COUNTER_BYTES)).decide(dict(request), now)
        except BadRequest:
            return None
        return str(answer["context"]["reason_code"])

    return (bundle_side(bundle) if as_bundle else model_side(model, compiled)), judge


def without_rates(document: Document) -> Document:
    """The document without rate limits, which count as not reached."""
    found = copy.deepcopy(document)
    for policy in found.get("policies", []):
        policy.get("conditions", {}).pop("rate_limit", None)
    return found


def edited(document: Document, seed: int) -> Document:
    """A document with up to three small edits, such as a person makes: what a reviewer sees most."""
    random, found = Random(seed), copy.deepcopy(document)
    for _ in range(random.randint(1, 3)):
        kinds = [
            kind
            for kind in ("policies", "policies", "assignments", "grants", "groups", "subjects", "resources")
            if found.get(kind)
        ]
        if kinds:
            kind = random.choice(kinds)
            edit(random, found, kind)
    return found


def edit(random: Random, document: Document, kind: str) -> None:
    """Change one element of a kind, or remove it."""
    rows = document[kind]
    row = random.choice(rows)
    if kind == "policies":
        edit_policy(random, rows, row)
    elif kind == "groups":
        row["members"] = row.get("members", [])[:-1]
    elif kind in ("subjects", "resources"):
        row.pop(random.choice(("external_id", "name", "attributes")), None)
    elif random.random() < 0.4:
        rows.remove(row)
    else:
        row.pop(random.choice(("expires_at", "starts_at")), None)


def edit_policy(random: Random, policies: list[Document], policy: Document) -> None:
    """Change one policy, or remove it."""
    conditions = policy.get("conditions", {})
    match random.choice(("remove", "effect", "roles", "conditions", "section", "enabled", "priority", "rename")):
        case "remove":
            policies.remove(policy)
        case "effect" if "rate_limit" not in conditions:
            policy["effect"] = "DENY" if policy["effect"] == "ALLOW" else "ALLOW"
        case "roles":
            policy.pop("roles", None)
        case "conditions":
            policy.pop("conditions", None)
        case "section" if conditions:
            conditions.pop(random.choice(list(conditions)))
        case "enabled":
            policy["enabled"] = not policy.get("enabled", True)
        case "priority":
            policy["priority"] = policy.get("priority", 0) + 1
        case _:
            policy["id"] += "-renamed"
