"""Elements that are read together are the same, with the same findings, as elements read one after the other."""

import json
from random import Random
from unittest.mock import patch

import pytest
from writ.compiler.diagnostics.diagnostic import Diagnostic
from writ.compiler.documents.json import json_document
from writ.compiler.documents.json.json_runs import LISTS_IN_RUNS, ElementOffsets, run_reader
from writ.compiler.limits import Limits
from writ.compiler.load import load
from writ.compiler.model.elements import Model
from writ.compiler.source import Source

LIMITS = Limits(string_bytes=2_000)
"""A few grants make one run."""

FAULTS = (
    '"id": "twice", "id": "twice", ',
    '"id": null, ',
    '"owner": 1, ',
    '"id": 1, ',
    '"id": "\\u0041", ',
    "}, {",
    "\x01",
)


def loaded(text: str) -> tuple[Model | None, tuple[Diagnostic, ...]]:
    found = load([Source("model.json", text.encode())], (), limits=LIMITS)
    return found.model, found.diagnostics


def document(random: Random, indent: int | None) -> str:
    rows = [
        {
            "subject": {"type": "user", "id": random.choice(("ann", "bob", "}, {", "x" * random.choice((1, 600))))},
            "resource": {"type": random.choice(("doc",) * 20 + ("deed",)), "id": f"d{number}"},
            "actions": ["read"],
        }
        for number in range(60)
    ]
    types = [{"id": "doc", "actions": ["read"]}]
    return json.dumps({"model": 1, "resource_types": types, "grants": rows}, indent=indent, ensure_ascii=False)


@pytest.mark.parametrize("seed", range(40))
def test_runs_change_neither_elements_nor_findings(seed: int) -> None:
    random = Random(seed)
    parts = document(random, random.choice((None, 2))).split('"actions"')
    for _ in range(random.choice((0, 1, 3))):
        place = random.randrange(1, len(parts))
        parts[place - 1] += random.choice(FAULTS)
    text = '"actions"'.join(parts)
    together = loaded(text)
    with patch.object(json_document, "LISTS_IN_RUNS", ()):
        assert together == loaded(text)


def test_a_run_has_no_repeated_member_no_null_and_no_escape() -> None:
    assert set(LISTS_IN_RUNS) == {"grants", "assignments"}
    read = run_reader("assignments")
    assert [element.role for element in read('{"role": "a", "group": "g"} , {"role":"b","group":"g"}') or ()] == [
        "a",
        "b",
    ]
    for text in (
        '{"role": "a", "role": "b"}',
        '{"role": "a", "group": null}',
        r'{"role": "\u0061"}',
        '{"role": "a"},',
        "{",
    ):
        assert read(text) is None


def test_offsets_lead_to_the_first_element_of_a_run() -> None:
    offsets = ElementOffsets()
    offsets.add(7)
    offsets.add(20, 3)
    offsets.add(90)
    assert [offsets.nearest(index) for index in range(len(offsets))] == [(7, 0), (20, 0), (20, 1), (20, 2), (90, 0)]
