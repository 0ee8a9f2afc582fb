"""Nothing is declared twice, and nothing is called `*`."""

from tests.support.diagnosing import ALICE, PLAN, load_text, model_text, policy

CASES = {
    "role": (model_text(roles='[{"id": "a"}, {"id": "b"}, {"id": "a"}]'), [("duplicate-id", '"a"')]),
    "group": (model_text(groups='[{"id": "a"}, {"id": "a"}]'), [("duplicate-id", '"a"')]),
    "policy": (
        model_text(policies=policy()[:-1] + ", " + policy()[1:]),
        [("duplicate-id", '"p"')],
    ),
    "grant": (
        model_text(
            grants=f'[{{"id": "g", "subject": {ALICE}, "resource": {PLAN}, "actions": ["read"]}},'
            f'{{"id": "g", "subject": {ALICE}, "resource": {PLAN}, "actions": ["update"]}}]'
        ),
        [("duplicate-id", '"g"')],
    ),
    "assignment": (
        model_text(
            assignments=f'[{{"id": "x", "role": "editor", "subject": {ALICE}}},'
            '{"id": "x", "role": "editor", "group": "eng"}]'
        ),
        [("duplicate-id", '"x"')],
    ),
    "a grant and a policy may share an id": (
        model_text(
            grants=f'[{{"id": "p", "subject": {ALICE}, "resource": {PLAN}, "actions": ["read"]}}]', policies=policy()
        ),
        [],
    ),
    "subject": (model_text(subjects=f"[{ALICE}, {ALICE}]"), [("duplicate-id", '"alice"')]),
    "same id in another type": (model_text(subjects=f'[{ALICE}, {{"type": "robot", "id": "alice"}}]'), []),
    "external id": (
        model_text(
            subjects='[{"type": "u", "id": "1", "external_id": "x"}, {"type": "u", "id": "2", "external_id": "x"}]'
        ),
        [("duplicate-external-id", '"x"')],
    ),
    "external id in another type": (
        model_text(
            subjects='[{"type": "u", "id": "1", "external_id": "x"}, {"type": "v", "id": "2", "external_id": "x"}]'
        ),
        [],
    ),
    "resource name": (
        model_text(
            resources='[{"type": "document", "id": "1", "name": "n"}, {"type": "folder", "id": "2", "name": "n"},'
            '{"type": "document", "id": "3", "name": "n"}]'
        ),
        [("duplicate-name", '"n"')],
    ),
    "type": (
        model_text(resource_types='[{"id": "a", "actions": []}, {"id": "a", "actions": []}]'),
        [("duplicate-id", '"a"')],
    ),
    "type name": (
        model_text(resource_types='[{"id": "a", "name": "n", "actions": []}, {"id": "b", "name": "n", "actions": []}]'),
        [("duplicate-name", '"n"')],
    ),
    "type name that is another's id": (
        model_text(resource_types='[{"id": "a", "name": "b", "actions": []}, {"id": "b", "actions": []}]'),
        [("duplicate-name", '"b"')],
    ),
    "swapped type names": (
        model_text(resource_types='[{"id": "a", "name": "b", "actions": []}, {"id": "b", "name": "a", "actions": []}]'),
        [],
    ),
    "type called *": (model_text(resource_types='[{"id": "*", "actions": []}]'), [("reserved-name", '"*"')]),
    "action called *": (
        model_text(resource_types='[{"id": "a", "actions": ["read", "*"]}]'),
        [("reserved-name", '"*"')],
    ),
}


def test_faults_are_found_where_they_are(found, expected):
    assert found == expected


def test_help_names_the_place_of_the_first():
    (found,) = load_text('{"model": 1,\n "roles": [{"id": "a"}, {"id": "b"}, {"id": "a"}]}').diagnostics
    assert found.help == "the first one is at model.json:2:12"
