"""Finds what tests ask for and their model does not declare. A denial is what a slip of the pen fulfils best."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from ....bundles.conditions.attribute_keys import read, steps_of
from ....bundles.declarations.declarations import Declared
from ....bundles.declarations.kinds import Choices
from ....bundles.program.clauses import Program, ResourceType
from ....bundles.wording import Path, described, did_you_mean, quoted
from ....compiler.checks.attribute_types import GATE_KEYS
from ....compiler.diagnostics.diagnostic import Finding
from ....compiler.lowering.lower_declarations import lower_declarations
from ....compiler.model.elements import DeclaredAttributes, Model
from ....compiler.passes import compile_program
from .file_reading import ReadTest

ON_PURPOSE: Final = "write `undeclared: true` in the test if it asks for this on purpose"

Keys = Collection[str]
Kinds = Mapping[str, Declared]
Suggest = Callable[[str, Keys], str]


@dataclass(frozen=True, slots=True)
class ModelDeclarations:
    """The declarations of a model. The resource types are by the name that requests use (E7).

    Attributes are None where the model declares none.
    `other_subjects` are the subject types that the model names without a declaration of their attributes. `suggest`
    returns help that names one of them.
    """

    types: Mapping[str, ResourceType]
    resources: Mapping[str, Kinds]
    subjects: Mapping[str, Kinds] | None = None
    other_subjects: Keys = ()
    context: Kinds | None = None
    action: Kinds | None = None
    suggest: Suggest = did_you_mean


def declared_by(program: Program, model: Model | None) -> ModelDeclarations:
    """Returns what a compiled program declares, and its checked model, or None for the model of a bundle."""
    types = {one.name: one for one in program.types}
    found = program.declarations if model is None else lower_declarations(model)
    resources = {one.name: found.resources[one.id] for one in program.types if one.id in found.resources}
    attributes = model.attributes[0] if model is not None and model.attributes else DeclaredAttributes()
    if model is None or attributes.subject is None:  # a bundle does not list the types that it declares nothing of
        return ModelDeclarations(types, resources, None, (), found.context, found.action)
    return ModelDeclarations(
        types, resources, found.subjects, frozenset(_subject_types(model)), found.context, found.action
    )


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
    if said.request is not None:
        completed = (said.request.get("options") or {}).get("attributes") is not None
        yield from _request(said.request, declared, (*path, "request"), not completed)
    if said.search is not None:
        yield from _request(said.search, declared, (*path, "search"), False)
    if said.allowed is not None:
        yield from _table(test, declared, path)


def undeclared_in(question: Mapping[str, Any], declared: ModelDeclarations) -> Iterator[Finding]:
    """Yields what a question asks for and the model does not declare. It may leave its subject and attributes out."""
    yield from _resource(question["resource"], declared, ("resource",), False)
    if question.get("subject") is not None:
        yield from _subject(question["subject"], declared, ("subject",), False)
    yield from _of_action(question["action"], question["resource"], declared, (), False)
    yield from _context(question.get("context"), declared, ("context",), False)


def _of_action(
    action: Mapping[str, Any], resource: Mapping[str, Any], declared: ModelDeclarations, path: Path, is_whole: bool
) -> Iterator[Finding]:
    """Yields the findings of the action of a request on a resource."""
    yield from _action(action["name"], [resource], declared, (*path, "action", "name"))
    owner = _Owner("an action", declared.action, declared.suggest, is_whole)
    yield from _bags(owner, {(*path, "action", "properties"): action.get("properties")}, (*path, "action"))


def _request(request: Mapping[str, Any], declared: ModelDeclarations, path: Path, is_whole: bool) -> Iterator[Finding]:
    """Yields the findings of a request. With `is_whole`, it has to send what is required."""
    resource, action = request["resource"], request["action"]
    yield from _resource(resource, declared, (*path, "resource"), is_whole)
    yield from _subject(request["subject"], declared, (*path, "subject"), is_whole)
    yield from _of_action(action, resource, declared, path, is_whole)
    yield from _context(request.get("context"), declared, (*path, "context"), is_whole)


def _table(test: ReadTest, declared: ModelDeclarations, path: Path) -> Iterator[Finding]:
    said = test.said
    resources = said.resources or {}
    for name, subject in (said.subjects or {}).items():
        yield from _subject(subject, declared, (*path, "subjects", name), True)
    for name, resource in resources.items():
        yield from _resource(resource, declared, (*path, "resources", name), True)
    for number, action in enumerate(said.actions or ()):
        yield from _action(action, resources.values(), declared, (*path, "actions", number))
    yield from _context(said.context, declared, (*path, "context"), True)


def _resource(
    resource: Mapping[str, Any], declared: ModelDeclarations, path: Path, is_whole: bool
) -> Iterator[Finding]:
    name = resource["type"]
    if name in declared.types:
        owner = _Owner(f"the resource type {quoted(name)}", declared.resources.get(name), declared.suggest, is_whole)
        yield from _attributes(resource, owner, path)
        return
    named = next((one.name for one in declared.types.values() if one.id == name), None)
    near = declared.suggest(name, declared.types) if named is None else f"requests name this type {quoted(named)};"
    yield _finding(f"the model declares no resource type {quoted(name)}", (*path, "type"), near)


def _subject(subject: Mapping[str, Any], declared: ModelDeclarations, path: Path, is_whole: bool) -> Iterator[Finding]:
    if declared.subjects is None:
        return
    name = subject["type"]
    if name in declared.subjects:
        owner = _Owner(f"the subject type {quoted(name)}", declared.subjects[name], declared.suggest, is_whole)
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


def _context(
    context: Mapping[str, Any] | None, declared: ModelDeclarations, path: Path, is_whole: bool
) -> Iterator[Finding]:
    owner = _Owner("the context", declared.context, declared.suggest, is_whole, GATE_KEYS)
    yield from _bags(owner, {path: context}, path if context is not None else path[:-1])


class _Owner(NamedTuple):
    """An owner of attributes, in words, and its declarations, or None if it declares none."""

    noun: str
    kinds: Kinds | None
    suggest: Suggest
    is_whole: bool
    """True if the request has to send what is required."""
    always: Keys = ()
    """The keys that need no declaration."""


def _attributes(entity: Mapping[str, Any], owner: _Owner, path: Path) -> Iterator[Finding]:
    bags = {(*path, member): entity.get(member) for member in ("attributes", "properties")}
    yield from _bags(owner, bags, path)


def _bags(owner: _Owner, bags: Mapping[Path, Mapping[str, Any] | None], path: Path) -> Iterator[Finding]:
    """Yields the findings of the bags of attributes of one entity at `path`. The last bag counts (E4)."""
    if owner.kinds is None:
        return
    sent: dict[str, Any] = {}
    for at, bag in bags.items():
        yield from _keys(bag or {}, owner, owner.kinds, at)
        sent |= bag or {}
    for key, stated in owner.kinds.items():
        if stated.required and owner.is_whole and read(sent, key, steps_of(key)) is None:
            yield _finding(f"{quoted(key)} of {owner.noun} is required", path, "")


def _keys(values: Mapping[str, Any], owner: _Owner, kinds: Kinds, path: Path) -> Iterator[Finding]:
    """Yields the keys that are not declared, and values that a declaration does not list.

    Of a dotted key, a value may have the whole or the first name (C1).
    """
    known = {*kinds, *owner.always}
    first_names = {key.partition(".")[0] for key in known}
    for key, value in values.items():
        if key not in known and key.partition(".")[0] not in first_names:
            message = f"{owner.noun} declares no attribute {quoted(key)}"
            yield _finding(message, (*path, key), owner.suggest(key, sorted(known)), at_key=True)
        elif key in kinds and value is not None:
            yield from _unlisted(kinds[key], f"{quoted(key)} of {owner.noun}", value, (*path, key))


def _unlisted(stated: Declared, name: str, value: Any, path: Path) -> Iterator[Finding]:
    if stated.one_of is None:
        return
    choices = Choices(stated.one_of)
    for one in value if stated.kind == "array" and isinstance(value, list) else [value]:
        if one not in choices:
            yield _finding(f"{name} has no declared value like {described(one)}", path, choices.hint(one))
            return


def _finding(message: str, path: Path, near: str, at_key: bool = False) -> Finding:
    return Finding("undeclared", message, path, f"{near} {ON_PURPOSE}".lstrip(), at_key=at_key)


def _subject_types(model: Model) -> Iterator[str]:
    """Yields the type of each subject that a model names (E3)."""
    yield from (one.type for one in model.subjects)
    yield from (one.type for group in model.groups for one in group.members if one.type)
    yield from (one.subject.type for one in model.assignments if one.subject is not None)
    yield from (one.subject.type for one in model.grants if one.subject is not None)
