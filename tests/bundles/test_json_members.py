"""Members that are there twice, at any depth and however their names are written (E10)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.json_members import members_in, repeated_member

NAMES = st.sampled_from(["a", "b", ":", "a:", "é", '"', "\\", "\u2028"])
PARTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", ":", "a:b", '":"']),
    lambda below: st.lists(below, max_size=3) | st.lists(st.tuples(NAMES, st.booleans(), below), max_size=3).map(tuple),
    max_leaves=12,
)
"""A JSON value with its members as a tuple of pairs, so that one may be there twice, with its name escaped or not."""


def written(part: object) -> str:
    if isinstance(part, tuple):
        members = (f"{json.dumps(name, ensure_ascii=escaped)}: {written(one)}" for name, escaped, one in part)
        return "{" + ", ".join(members) + "}"
    return f"[{', '.join(map(written, part))}]" if isinstance(part, list) else json.dumps(part)


def doubled(part: object) -> bool:
    if isinstance(part, tuple):
        names = [name for name, _, _ in part]
        return len({*names}) < len(names) or any(doubled(one) for _, _, one in part)
    return isinstance(part, list) and any(map(doubled, part))


@given(PARTS)
def test_a_member_is_found_exactly_if_it_is_there_twice(part: object) -> None:
    text = written(part)
    value = json.loads(text)
    for body in (text, text.encode(), text.encode("utf-16")):
        assert (repeated_member(body, value) is not None) is doubled(part)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"decision": false, "decision": true}', "$.decision"),
        ('{"subject": {"id": "a", "id": "a"}}', "$.subject.id"),
        (r'{"subject": {"id": "a", "\u0069d": "b"}}', "$.subject.id"),
        ('{"a": [{}, {"x": {"b": 1, "b": 1}}]}', "$.a[1].x.b"),
        ('{"a": {"b": 1, "b": 2}, "a": 3}', "$.a"),
        ('[{"a b": 1, "a b": ":"}]', "$[0]['a b']"),
    ],
)
def test_the_path_is_the_members(text: str, path: str) -> None:
    found = repeated_member(text.encode(), json.loads(text))
    assert found is not None
    assert found.path == path


@pytest.mark.parametrize("text", ['{"id": 1, "Id": 2}', '{"a": ":"}', '{"é": 1, "e\u0301": 2}', '[{"a": 1}, {"a": 1}]'])
def test_other_names_are_others(text: str) -> None:
    """Letter by letter: neither case nor normal forms of Unicode count."""
    assert repeated_member(text, json.loads(text)) is None


def test_members_are_counted_at_any_depth() -> None:
    nested: object = 1
    for _ in range(100_000):
        nested = [{"a": nested}]
    assert members_in(nested) == 100_000
