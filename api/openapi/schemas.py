"""The schemas of the OpenAPI document, made of the very types that bodies are read into and answers written from."""

from collections.abc import Collection
from typing import Final

import msgspec

from ...compiler.model.elements import LISTS
from ..credentials.credential_shapes import (
    ApiKeyAnswer,
    ApiKeyWithSecret,
    ClientAnswer,
    ClientPatch,
    ClientWithSecret,
    NewApiKey,
    NewClient,
    OAuthError,
    TokenAnswer,
)
from ..decisions.discovery import PolicyDecisionPoint
from ..management.answers import (
    EnvironmentAnswer,
    EnvironmentPatch,
    ErrorAnswer,
    ModelChanges,
    NewEnvironment,
    RevisionAnswer,
    RevisionDetail,
)
from ..management.audit import AuditEntry
from ..management.kinds import KINDS
from .decisions import Decision, Decisions, EvaluationRequest, EvaluationsRequest, HealthAnswer, ReadinessAnswer
from .operation import Schema
from .searches import (
    ActionSearchRequest,
    ActionsFound,
    ResourceSearchRequest,
    ResourcesFound,
    SubjectSearchRequest,
    SubjectsFound,
)

_TYPES: Final = (
    EnvironmentAnswer,
    NewEnvironment,
    EnvironmentPatch,
    ModelChanges,
    RevisionAnswer,
    RevisionDetail,
    ErrorAnswer,
    NewClient,
    ClientPatch,
    ClientAnswer,
    ClientWithSecret,
    NewApiKey,
    ApiKeyAnswer,
    ApiKeyWithSecret,
    TokenAnswer,
    OAuthError,
    AuditEntry,
    EvaluationRequest,
    EvaluationsRequest,
    Decision,
    Decisions,
    ResourceSearchRequest,
    SubjectSearchRequest,
    ActionSearchRequest,
    ResourcesFound,
    SubjectsFound,
    ActionsFound,
    HealthAnswer,
    ReadinessAnswer,
    PolicyDecisionPoint,
)


def schemas() -> dict[str, Schema]:
    """All schemas by name. `New…` is an element whose id may be left out, `…InPlace` one whose whole key may."""
    found = {name: _without_nulls(schema) for name, schema in _components(tuple(LISTS.values())).items()}
    found |= _components(_TYPES)
    for kind in KINDS:
        name = LISTS[kind.name].__name__
        found[f"New{name}"] = _without(found[name], ("id",))
        found[f"{name}InPlace"] = _without(found[name], kind.key)
    return found


def _components(types: tuple[type, ...]) -> dict[str, Schema]:
    return msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")[1]


def _without_nulls(schema: Schema) -> Schema:
    """The schema of a part of a model: what has no value is left out of a document, and never null."""
    properties = {name: _value(one) for name, one in schema["properties"].items()}
    return schema | {"properties": properties}


def _value(schema: Schema) -> Schema:
    match schema:
        case {"anyOf": [value, {"type": "null"}], "default": None}:
            return dict(value)
    return schema


def _without(schema: Schema, optional: Collection[str]) -> Schema:
    return schema | {"required": [name for name in schema["required"] if name not in optional]}
