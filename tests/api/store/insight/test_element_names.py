"""The names of elements by their keys, on every engine."""

from writ.api.store.insight.element_names import ElementToName
from writ.compiler.model.elements import ElementKind

from tests.support.stored import ENV, put

MODEL = {
    "resource_types": [{"id": "d", "name": "document", "actions": ["read"]}],
    "roles": [{"id": "r", "name": "Reader"}, {"id": "plain"}],
    "groups": [{"id": "g", "name": "Grüne"}],
    "subjects": [
        {"type": "user", "id": "a", "attributes": {"name": "Ada"}},
        {"type": "user", "id": "n", "attributes": {"name": 7}},
        {"type": "app", "id": "a"},
    ],
    "resources": [{"type": "d", "id": "1", "name": "Plan"}],
}


def test_each_element_has_its_name_or_none(store):
    put(store, MODEL)
    wanted = {
        (ElementKind.SUBJECTS, ("user", "a")): "Ada",
        (ElementKind.ROLES, ("r",)): "Reader",
        (ElementKind.SUBJECTS, ("app", "a")): None,
        (ElementKind.SUBJECTS, ("user", "n")): None,
        (ElementKind.ROLES, ("plain",)): None,
        (ElementKind.ROLES, ("gone",)): None,
        (ElementKind.GROUPS, ("g",)): "Grüne",
        (ElementKind.RESOURCES, ("d", "1")): "Plan",
        (ElementKind.RESOURCE_TYPES, ("d",)): "document",
    }
    assert store.insight.names(ENV, [ElementToName(*one) for one in wanted]) == list(wanted.values())
    assert store.insight.names(ENV, []) == []
