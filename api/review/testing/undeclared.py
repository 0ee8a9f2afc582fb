"""Finds what tests ask for and their model does not declare. A denial is what a slip of the pen fulfils best."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from ....bundles.program.clauses import Program, ResourceType
from ....bundles.wording import Path, did_you_mean, quoted
from ....compiler.checks.attribute_types import GATE_KEYS
from ....compiler.diagnostics.diagnostic import Finding
from ....compiler.model.elements import DeclaredAttributes, Model
from ....compiler.passes import compile_program
from .file_reading import ReadTest

_ON_PURPOSE: Final = "write `undeclared: true` in the test if it asks for this on purpose"

Keys = Collection[str]
Suggest = Callable[[str, Keys], str]


@dataclass(frozen=True, slots=True)
class ModelDeclarations:
    """The declarations of a model. The resource types are by the name that requests use (E7).

    Attributes are None where the model declares none. A bundle knows its types and actions, but no attributes.
    `other_subjects` are the subject types that the model names without a declaration of their attributes. `suggest`
    returns help that names one of them.
    """

    types: Mapping[str, ResourceType]
    resources: Mapping[str, Keys]
    subjects: Mapping[str, Keys] | None = None
    other_subjects: Keys = ()
    context: Keys | None = None
    action: Keys | None = None
    suggest: Suggest = did_you_mean


def declared_by(program: Program, model: Model | None) -> ModelDeclarations:
    """Returns what a compiled program declares, and its checked model, or None for the model of a bundle."""
    types = {one.name: one for one in program.types}
    if model is None:
        return ModelDeclarations(types, {})
    resources = {one.name or one.id: one.attributes for one in model.resource_types if one.attributes is not None}
    attributes = model.attributes[0] if model.attributes else DeclaredAttributes()
    others = frozenset() if attributes.subject is None else frozenset(_subject_types(model))
    return ModelDeclarations(types, resources, attributes.subject, others, attributes.context, attributes.action)


def declared_in(model: Model, subject_types: Keys) -> ModelDeclarations:
    """Returns what a model declares of which only the resource types and declared attributes are there.

    `subject_types` are the types of the subjects that the whole model names.
    """
    found = declared_by(compile_program(Model(resource_types=model.resource_types)), model)
    return found if found.subjects is None else replace(found, other_subjects=frozenset(subject_types))


def undeclared(test: ReadTest, declared: ModelDeclarations) -> Iterator[Finding]:
    """Yields each type, action and attribute that a test asks for and the model does not declare.

    A test with `undeclared: true` asks for them on purpose.
    """
    said, path = test.said, ("tests", test.number)
    if said.undeclared:
        return
    for name in ("request", "search"):
        request = getattr(said, name)
        if request is not None:
            yield from _request(request, declared, (*path, name))
    if said.allowed is not None:
        yield from _table(test, declared, path)


def _request(request: Mapping[str, Any], declared: ModelDeclarations, path: Path) -> Iterator[Finding]:
    resource, action = request["resource"], request["action"]
    yield from _resource(resource, declared, (*path, "resource"))
    yield from _subject(request["subject"], declared, (*path, "subject"))
    yield from _action(action["name"], [resource], declared, (*path, "action", "name"))
    owner, at = _Owner("an action", declared.action, declared.suggest), (*path, "action", "properties")
    yield from _keys(action.get("properties"), owner, at)
    yield from _context(request.get("context"), declared, (*path, "context"))


def _table(test: ReadTest, declared: ModelDeclarations, path: Path) -> Iterator[Finding]:
    said = test.said
    resources = said.resources or {}
    for name, subject in (said.subjects or {}).items():
        yield from _subject(subject, declared, (*path, "subjects", name))
    for name, resource in resources.items():
        yield from _resource(resource, declared, (*path, "resources", name))
    for number, action in enumerate(said.actions or ()):
        yield from _action(action, resources.values(), declared, (*path, "actions", number))
    yield from _context(said.context, declared, (*path, "context"))


def _resource(resource: Mapping[str, Any], declared: ModelDeclarations, path: Path) -> Iterator[Finding]:
    name = resource["type"]
    if name in declared.types:
        owner = _Owner(f"the resource type {quoted(name)}", declared.resources.get(name), declared.suggest)
        yield from _attributes(resource, owner, path)
        return
    named = next((one.name for one in declared.types.values() if one.id == name), None)
    near = declared.suggest(name, declared.types) if named is None else f"requests name this type {quoted(named)};"
    yield _finding(f"the model declares no resource type {quoted(name)}", (*path, "type"), near)


def _subject(subject: Mapping[str, Any], declared: ModelDeclarations, path: Path) -> Iterator[Finding]:
    if declared.subjects is None:
        return
    name = subject["type"]
    if name in declared.subjects:
        owner = _Owner(f"the subject type {quoted(name)}", declared.subjects[name], declared.suggest)
        yield from _attributes(subject, owner, path)
    elif name not in declared.other_subjects:
        near = declared.suggest(name, {*declared.subjects, *declared.other_subjects})
        yield _finding(f"the model knows no subject type {quoted(name)}", (*path, "type"), near)


def _action(
    name: str, resources: Collection[Mapping[str, Any]], declared: ModelDeclarations, path: Path
) -> Iterator[Finding]:
    """Yields a finding if no type of the resources declares the action. An unknown type has a finding already."""
    types = {one["type"]: declared.types[one["type"]] for one in resources if one["type"] in declared.types}
    if types and not any(name in one.action_set for one in types.values()):
        asked = "the resource type " + quoted(*types) if len(types) == 1 else "no resource type of the table"
        message = f"{asked} declares {'no' if len(types) == 1 else 'the'} action {quoted(name)}"
        known = {action for one in types.values() for action in one.actions}
        yield _finding(message, path, declared.suggest(name, known))


def _context(context: Mapping[str, Any] | None, declared: ModelDeclarations, path: Path) -> Iterator[Finding]:
    if declared.context is not None:
        owner = _Owner("the context", {*declared.context, *GATE_KEYS}, declared.suggest)
        yield from _keys(context, owner, path)


class _Owner(NamedTuple):
    """An owner of attributes, in words, and the keys that it declares, or None if it declares none."""

    noun: str
    known: Keys | None
    suggest: Suggest


def _attributes(entity: Mapping[str, Any], owner: _Owner, path: Path) -> Iterator[Finding]:
    for member in ("attributes", "properties"):
        yield from _keys(entity.get(member), owner, (*path, member))


def _keys(values: Mapping[str, Any] | None, owner: _Owner, path: Path) -> Iterator[Finding]:
    """Yields the keys that are not declared. Of a dotted key, a value may have the whole or the first name (C1)."""
    known = owner.known
    if known is None or not values:
        return
    first_names = {key.partition(".")[0] for key in known}
    for key in values:
        if key not in known and key.partition(".")[0] not in first_names:
            message = f"{owner.noun} declares no attribute {quoted(key)}"
            yield _finding(message, (*path, key), owner.suggest(key, known), at_key=True)


def _finding(message: str, path: Path, near: str, at_key: bool = False) -> Finding:
    return Finding("undeclared", message, path, f"{near} {_ON_PURPOSE}".lstrip(), at_key=at_key)


def _subject_types(model: Model) -> Iterator[str]:
    """Yields the type of each subject that a model names (E3)."""
    yield from (one.type for one in model.subjects)
    yield from (one.type for group in model.groups for one in group.members if one.type)
    yield from (one.subject.type for one in model.assignments if one.subject is not None)
    yield from (one.subject.type for one in model.grants)
