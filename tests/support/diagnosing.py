"""Loads documents for tests of diagnostics, and tells what text each diagnostic underlines."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from writ.bundles.zones import zone_names
from writ.compiler.diagnostics.diagnostic import Diagnostic
from writ.compiler.limits import Limits
from writ.compiler.load import Loaded, load
from writ.compiler.source import Source

Seen = list[tuple[str, str]]
"""The code of each diagnostic and the text that it underlines."""

FORMATS = ("model.json", "model.yaml")
"""A JSON text is a YAML text, so most cases are read by both readers, and both must find the same at the same place."""

_DECLARED = {
    "resource_types": """[
        {"id": "document", "actions": ["read", "update"]}, {"id": "folder", "actions": ["read", "list"]}
    ]""",
    "roles": '[{"id": "editor"}, {"id": "viewer"}]',
    "groups": '[{"id": "eng"}, {"id": "backend"}]',
}


def model_text(**lists: str) -> str:
    """A model document in JSON: some declarations, and the given lists beside them or in their place."""
    members = ['"model": 1', *(f'"{name}": {text}' for name, text in (_DECLARED | lists).items())]
    return "{" + ",\n".join(members) + "}"


USERS = '{"subject_attrs": [{"key": "type", "op": "eq", "value": "user"}]}'
"""Conditions that leave nothing to find."""


def policy(conditions: str = USERS, effect: str = "ALLOW", on: str = "document", more: str = "") -> str:
    """A list with one policy, `p`."""
    scope = f'{{"resource_type_id": "{on}", "actions": ["read"]}}'
    return f'[{{"id": "p", "effect": "{effect}", "resource_types": [{scope}], "conditions": {conditions}{more}}}]'


ALICE = '{"type": "user", "id": "alice"}'
PLAN = '{"type": "document", "id": "plan"}'


def grant(resource: str = PLAN, actions: str = '["read"]', more: str = "") -> str:
    """A model document with one grant, to `ALICE`."""
    return model_text(grants=f'[{{"subject": {ALICE}, "resource": {resource}, "actions": {actions}{more}}}]')


def conditions(text: str, effect: str = "ALLOW", on: str = "document", **lists: str) -> str:
    """A model document with one policy under these conditions."""
    return model_text(policies=policy(text, effect, on), **lists)


def compared(op: str, value: str, key: str = "k", on: str = "document", **lists: str) -> str:
    """A model document with one policy that compares one attribute of the resource."""
    return conditions(f'{{"resource_attrs": [{{"key": "{key}", "op": "{op}", "value": {value}}}]}}', on=on, **lists)


ABOUT_ALL = frozenset(
    (
        "any-address",
        "dead-allow",
        "group-cycle",
        "idle-deny",
        "idle-required",
        "odd-pattern",
        "plain-gate",
        "redundant-policy",
        "repeated-part",
        "unused-action",
        "unused-extension",
        "unused-role",
    )
)
"""The codes of warnings that small models for other tests have: they declare and deny more than they use."""


def load_text(
    text: str,
    name: str = "model.json",
    limits: Limits | None = None,
    now: float | None = None,
    ignored: Collection[str] = ABOUT_ALL,
) -> Loaded:
    """Load one document, and leave out the warnings whose codes are `ignored`."""
    loaded = load([Source(name, text.encode())], zone_names(), limits=limits or Limits(), now=now)
    return replace(loaded, diagnostics=tuple(one for one in loaded.diagnostics if one.code not in ignored))


def seen(text: str, name: str = "model.json", limits: Limits | None = None) -> Seen:
    """Returns the findings in one document, without the codes in ABOUT_ALL."""
    loaded = load_text(text, name, limits)
    assert (loaded.model is None) == any(found.severity == "error" for found in loaded.diagnostics)
    return [(found.code, underlined(found, text)) for found in loaded.diagnostics]


def underlined(diagnostic: Diagnostic, text: str) -> str:
    """The part of its line that a diagnostic underlines."""
    line = text.split("\n")[diagnostic.line - 1]
    return line[diagnostic.column - 1 : diagnostic.column - 1 + diagnostic.length]


def codes(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """The codes of diagnostics."""
    return [diagnostic.code for diagnostic in diagnostics]
