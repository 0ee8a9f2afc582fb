"""A compiled condition is written as the policy that has it: what the text says comes back from the bundle's rules."""

import time

import pytest
from writ.bundles import zones
from writ.compiler.language.writing.atoms import atom_text
from writ.compiler.load import load
from writ.compiler.passes import compile_program
from writ.compiler.source import Source

CONDITIONS = [
    'when resource.drug in ["a", "b"]',
    "when context.mfa is true",
    'when subject.ward is not "icu"',
    "when action.dose <= 5",
    'when resource.name not in ["x"]',
    'when resource.name matches "^x"',
    "on mon to fri from 08:00 until 16:00 in Europe/Oslo",
    "from 2026-01-01T00:00:00Z until 2027-01-01T00:00:00Z",
    "from 10.0.0.0/8, ::1",
    "at most 5 times in 2 hours",
]


@pytest.mark.parametrize("said", CONDITIONS)
def test_a_condition_is_written_as_it_was_said(said):
    text = f"type d\n    actions read\n\npolicy p\n    allow everyone to read d\n    {said}\n"
    model = load([Source("x.writ", text.encode())], zones.zone_names(), lambda *_: None, now=time.time()).model
    ((atom,),) = (clause.body for clause in compile_program(model).clauses)
    assert atom_text(atom) == said.removeprefix("when ")
