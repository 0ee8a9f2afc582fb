"""Searches of a real server, in pages and with options, against the oracle (S2, S3, S5, F7)."""

import json
from typing import Any, Final

from tests.deep.task import Task
from tests.support.oracle_entities import (
    Document,
    Entity,
    Question,
    asked_by,
    question,
    registered_resources,
    registered_subjects,
)
from tests.support.oracle_searches import found_by_search
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY
from tests.support.strategies_pick import Pick

KINDS: Final = ("resource", "subject", "action")
LIMITS: Final = (None, 1, 2, 3, 1_000)
GATES: Final = (None, "open", "decide")

Found = list[tuple[str, str]]
"""The ids, or names of actions, and the path of each."""


def check_search(task: Task, raw: RawConnection, model: Document, asked: dict[str, Any], pick: Pick) -> None:
    """One search, all of its pages, at an instant on which nothing in the model depends."""
    kind, limit = pick.one(KINDS), pick.one(LIMITS)
    gates = pick.one(GATES) if kind == "resource" else None
    options: dict[str, Any] = {"return": "results"} if kind == "resource" else {}  # with options, items have paths
    if gates is not None:
        options["gates"] = gates
    body = {**asked, "options": options}
    decided = asked.get("context") is not None if gates is None else gates == "decide"
    found = pages(raw, kind, body, limit)
    if found is None:
        return
    wanted = expected(kind, model, asked, decided)
    if found != wanted:
        task.fail(f"{kind} search in pages of {limit}: {found}, the oracle says {wanted}, to {body} of {model}")
    task.count()


def pages(raw: RawConnection, kind: str, body: dict[str, Any], limit: int | None) -> Found | None:
    """All results of a search, or None if a limit of HTTP refuses the request."""
    found: Found = []
    page: dict[str, Any] = {} if limit is None else {"page": {"limit": limit}}
    while True:
        sent = json.dumps({**body, **page}).encode("ascii")
        raw.send(request("POST", f"/access/v1/search/{kind}", sent, key=KEY))
        answer = raw.answer()
        if answer.status == 400:
            return None
        assert answer.status == 200, answer.body
        results = answer.json["results"]
        assert limit is None or len(results) <= limit
        found += [(one["name" if kind == "action" else "id"], one["access_path"]) for one in results]
        token = answer.json.get("page", {}).get("next_token")
        if not token:
            return found
        page = {"page": {"limit": limit, "token": token}}


def expected(kind: str, model: Document, asked: dict[str, Any], decided: bool) -> Found:
    """What the oracle finds, in the order of the answer."""
    each = {"resource": _resources, "subject": _subjects, "action": _actions}[kind](model, question(model, asked, 0.0))
    paths = {name: found_by_search(model, one, decided) for name, one in sorted(each.items())}
    return [(name, path) for name, path in paths.items() if path is not None]


def _resources(model: Document, asked: Question) -> dict[str, Question]:
    declared = asked.resource_type
    keys = {key for key in registered_resources(model) if declared and key[0] == declared["id"]}
    return {
        str(key[1]): asked._replace(resource=Entity(asked.resource.type, key[1], _attributes(model, "resources", key)))
        for key in keys
    }


def _subjects(model: Document, asked: Question) -> dict[str, Question]:
    keys = {key for key in registered_subjects(model) if key[0] == asked.subject.type}
    return {str(key[1]): asked_by(model, asked, Entity(*key, _attributes(model, "subjects", key))) for key in keys}


def _actions(_: Document, asked: Question) -> dict[str, Question]:
    names = asked.resource_type["actions"] if asked.resource_type else []
    return {name: asked._replace(action=name, action_properties={}) for name in names}


def _attributes(model: Document, kind: str, key: tuple[str, str | None]) -> dict[str, Any]:
    listed = (one for one in model.get(kind, []) if (one["type"], one["id"]) == key)
    return next(listed, {}).get("attributes") or {}
