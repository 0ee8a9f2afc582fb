"""What a model refers to is declared in it."""

from tests.support.diagnosing import ALICE, grant, model_text, policy

GRANT = '{"resource": {"type": "document", "id": "d"}, "actions": ["read"]'
EDITORS = policy(more=', "roles": ["Editor"]')

CASES = {
    "role of a policy": (model_text(policies=policy(more=', "roles": ["editr"]')), [("unknown-role", '"editr"')]),
    "everyone is no role": (model_text(policies=policy(more=', "roles": ["*"]')), [("unknown-role", '"*"')]),
    "type of a policy": (model_text(policies=policy(on="documnt")), [("unknown-type", '"documnt"')]),
    "action of a policy": (
        model_text(policies=policy(on="folder").replace('"read"', '"update"')),
        [("unknown-action", '"update"')],
    ),
    "action of some type": (model_text(policies=policy(on="*").replace('"read"', '"list"')), []),
    "action of no type": (
        model_text(policies=policy(on="*").replace('"read"', '"raed"')),
        [("unknown-action", '"raed"')],
    ),
    "action where there are no types": (
        model_text(resource_types="[]", policies=policy(on="*")),
        [("unknown-action", '"read"')],
    ),
    "every action": (model_text(policies=policy().replace('"read"', '"*"')), []),
    "type of a grant": (grant('{"type": "doc", "id": "d"}'), [("unknown-type", '"doc"')]),
    "* is no type of a grant": (grant('{"type": "*", "id": "d"}'), [("unknown-type", '"*"')]),
    "action of a grant": (grant(actions='["list", "*"]'), [("unknown-action", '"list"')]),
    "no action of a grant": (grant(actions="[]"), [("empty", "[")]),
    "type of a resource": (model_text(resources='[{"type": "doc", "id": "1"}]'), [("unknown-type", '"doc"')]),
    "types of subjects are free": (model_text(subjects='[{"type": "anything", "id": "1"}]'), []),
    "role of an assignment": (
        model_text(assignments=f'[{{"role": "editr", "subject": {ALICE}}}]'),
        [("unknown-role", '"editr"')],
    ),
    "group of an assignment": (
        model_text(assignments='[{"role": "editor", "group": "end"}]'),
        [("unknown-group", '"end"')],
    ),
    "assigned to nobody": (model_text(assignments='[{"role": "editor"}]'), [("either-or", "{")]),
    "assigned to both": (
        model_text(assignments=f'[{{"role": "editor", "group": "eng", "subject": {ALICE}}}]'),
        [("either-or", "{")],
    ),
    "granted to nobody": (model_text(grants=f"[{GRANT}}}]"), [("either-or", "{")]),
    "granted to both": (
        model_text(grants=f'[{GRANT}, "group": "eng", "subject": {ALICE}}}]'),
        [("either-or", "{")],
    ),
    "group of a grant": (model_text(grants=f'[{GRANT}, "group": "end"}}]'), [("unknown-group", '"end"')]),
    "member of both kinds": (
        model_text(groups='[{"id": "a", "members": [{"type": "user", "id": "u", "group": "a"}]}]'),
        [("either-or", "{")],
    ),
    "half a member": (model_text(groups='[{"id": "a", "members": [{"type": "user"}]}]'), [("either-or", "{")]),
    "no member": (model_text(groups='[{"id": "a", "members": [{}]}]'), [("either-or", "{")]),
    "unknown member group": (
        model_text(groups='[{"id": "a", "members": [{"group": "b"}]}]'),
        [("unknown-group", '"b"')],
    ),
    "name of a type": (
        model_text(
            resource_types='[{"id": "docs", "actions": ["read"]}, {"id": "doc", "name": "document", "actions": []}]',
            policies=policy(on="document"),
        ),
        [("unknown-type", '"document"')],
    ),
    "name of a role": (
        model_text(roles='[{"id": "ed", "name": "Editor"}, {"id": "x", "name": "Editor"}]', policies=EDITORS),
        [("unknown-role", '"Editor"')],
    ),
    "name of a role in an assignment": (
        model_text(roles='[{"id": "ed", "name": "Editor"}]', assignments=f'[{{"role": "Editor", "subject": {ALICE}}}]'),
        [("unknown-role", '"Editor"')],
    ),
    "name of a group": (
        model_text(groups='[{"id": "eng", "name": "Engineering", "members": [{"group": "Engineering"}]}]'),
        [("unknown-group", '"Engineering"')],
    ),
    "name of a type that could not be read": (
        model_text(resource_types='[{"id": 1, "name": "doc", "actions": []}]', policies=policy(on="doc")),
        [("wrong-type", "1")],
    ),
    "a cycle is harmless": (model_text(groups='[{"id": "a", "members": [{"group": "a"}]}]'), []),
}


def test_faults_are_found_where_they_are(found, expected):
    assert found == expected


HELP = {
    "everyone is no role": "leave `roles` out to mean everyone",
    "name of a type": "`document` is the name of the type with the id `doc`, and references use the id",
    "name of a role": "`Editor` is the name of the role with the id `ed`, and references use the id",
    "name of a role in an assignment": "`Editor` is the name of the role with the id `ed`, and references use the id",
    "name of a group": "`Engineering` is the name of the group with the id `eng`, and references use the id",
    "role of a policy": "did you mean `editor`?",
    "type of a policy": "did you mean `document`?",
    "action of no type": "did you mean `read`?",
    "group of an assignment": "did you mean `eng`?",
}


def test_help(found_help, expected):
    assert found_help == expected
