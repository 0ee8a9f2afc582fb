"""The console has the operators' words from their rows. `--update-golden` writes its module."""

import json

import pytest
from writ.api.console.page_files import PAGE
from writ.bundles.conditions.operators import OPERATORS, Operator, OperatorRow
from writ.compiler.model.elements import AttributeType

MODULE = PAGE / "core" / "operators.js"
TYPES = AttributeType.__args__
READ_AS = {"instant": "string"}
HEAD = """\
// The operators of conditions: their words, the kind of their constant, the declared types that they can compare,
// whether they need a value, and whether they compare the elements of an array. `pytest --update-golden` writes this
// file from `bundles/conditions/operators.py`.

export const OPERATORS = {
"""


def line(op: Operator, row: OperatorRow) -> str:
    members = {
        "label": row.shown,
        "constant": row.constant.name.lower(),
        "reads": [type for type in TYPES if row.reads is None or READ_AS.get(type, type) in row.reads],
        "isNegation": row.is_negation,
        "isOfElements": row.of_elements,
    }
    return f"  {op}: {{ {', '.join(f'{name}: {json.dumps(value)}' for name, value in members.items())} }},\n"


def test_the_module_has_the_rows_of_the_operators(request: pytest.FixtureRequest) -> None:
    written = HEAD + "".join(line(op, row) for op, row in OPERATORS.items()) + "};\n"
    if request.config.getoption("--update-golden"):
        MODULE.write_text(written)
    assert MODULE.read_text() == written
