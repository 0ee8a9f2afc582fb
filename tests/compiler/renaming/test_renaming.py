"""Renaming in documents: every reference changes, all else stays, and what can't be renamed is refused."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from writ.compiler.forms.convert import convert
from writ.compiler.model.elements import ElementKind
from writ.compiler.renaming.documents import RenameRefused, rename_in
from writ.compiler.renaming.references import Renamable, names_in
from writ.compiler.renaming.renamed import Rename
from writ.compiler.source import Source

from tests.support.strategies_pick import Pick
from tests.support.writ_spelling import hostile_model
from tests.support.writ_texts import load_json

SEEDS = st.integers(0, 2**32)
NEW = ("z", "to", 'a "b"', "it's", "on", "é\n", "true", "1", "# no", "a: b")
TEXT = """\
# The nurses.
role nurse "Nurse"  # nurse
type drug
    actions dispense
group icu
    members user nurse, group icu2
group icu2
assign nurse to group icu until 2027-01-01T00:00:00Z
policy nurse
    # everyone but a nurse
    deny everyone except 'nurse'
        to dispense drug
    when resource.a is "nurse"
silence idle-deny on nurse because "nurse"
"""


@settings(max_examples=15)
@given(SEEDS)
@example(52716)  # a name in a block of YAML
def test_a_renamed_document_has_the_renamed_elements(seed):
    """In every form, the name changes exactly where it is a reference."""
    pick = Pick.seeded(seed)
    document = hostile_model(pick)
    assert load_json(document).model is not None
    what, new = pick.one([*Renamable]), pick.one(NEW)
    names = sorted(all_names(document, what) - {"*"})
    if not names or new in names:
        return
    old = pick.one(names)
    for form in ("json", "yaml", "writ"):
        text = convert([Source("a.json", json.dumps(document).encode())], form).text
        source = Source(f"a.{form}", text)
        done = rename_in([source], Rename(what, old, new))
        assert not done.diagnostics
        assert done.places >= 1
        again = rename_in(done.sources, Rename(what, new, old))
        assert elements(again.sources) == elements([source])
        assert again.places == done.places
        assert old not in all_names(elements(done.sources), what)


def of(document, kind):
    found = document.get(kind, [])
    return found if isinstance(found, list) and kind not in ("extensions", "requests") else []


def all_names(document, what):
    return {name for kind in ElementKind for one in of(document, kind) for _, name in names_in(what, kind, one)}


def elements(sources):
    return json.loads(convert([*sources], "json").text)


def test_comments_spaces_and_texts_stay():
    (done,) = rename_in([Source("a.writ", TEXT.encode())], Rename(Renamable.ROLE, "nurse", "rn")).sources
    wanted = TEXT.replace("role nurse ", "role rn ").replace("assign nurse", "assign rn").replace("'nurse'", "rn")
    assert done.data.decode() == wanted


def test_a_silenced_lint_follows_the_only_element_of_the_id():
    (done,) = rename_in([Source("a.writ", TEXT.encode())], Rename(Renamable.POLICY, "nurse", "rn")).sources
    assert 'silence idle-deny on nurse because "nurse"' in done.data.decode(), "the role has the id too"
    alone = TEXT.replace("role nurse", "role r").replace("assign nurse", "assign r").replace("'nurse'", "r")
    (done,) = rename_in([Source("a.writ", alone.encode())], Rename(Renamable.POLICY, "nurse", "rn")).sources
    assert 'silence idle-deny on rn because "nurse"' in done.data.decode()


def test_yaml_keeps_its_quotes_anchors_and_aliases():
    text = (
        "model: 1\nroles: [{id: &r nurse}, {id: 'x'}]\nassignments:\n"
        "- {role: *r, subject: {type: user, id: nurse}} # nurse\n"
    )
    (done,) = rename_in([Source("a.yaml", text.encode())], Rename(Renamable.ROLE, "nurse", "on")).sources
    assert done.data.decode() == text.replace("&r nurse", '&r "on"')


@pytest.mark.parametrize(
    ("text", "rename", "says"),
    [
        ("roles: [{id: a}, {id: b}]", (Renamable.ROLE, "a", "b"), "there is the role `b` already"),
        ("roles: [{id: a}]", (Renamable.GROUP, "a", "b"), "no document has the group `a`"),
        ("roles: [{id: a}]", (Renamable.ROLE, "a", ""), "can't be a name here"),
        ("resource_types: [{id: a, actions: [b, '*']}]", (Renamable.ACTION, "*", "c"), "stands for all of them"),
        ("resource_types: [{id: a, actions: [b]}]", (Renamable.ACTION, "b", "header:x"), "name of a header"),
        (
            "groups: [{id: g, members: [{type: &a x, id: y}]}]\nroles: [{id: *a}]",
            (Renamable.ROLE, "x", "z"),
            "write it plainly",
        ),
    ],
)
def test_what_can_not_be_renamed_is_refused(text, rename, says):
    with pytest.raises(RenameRefused, match=says):
        rename_in([Source("a.yaml", f"model: 1\n{text}".encode())], Rename(*rename))
