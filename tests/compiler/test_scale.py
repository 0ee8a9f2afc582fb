"""A large document is read in little memory: parts are shared, and its text is never there as a whole."""

import json
import tracemalloc

from writ.compiler.load import load
from writ.compiler.source import Source

GRANTS = 50_000
SUBJECTS = 5_000


def test_fifty_thousand_grants():
    data = document()
    tracemalloc.start()
    try:
        loaded = load([Source("big.json", data)], ())
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    model = loaded.model
    assert loaded.diagnostics == ()
    assert len(model.grants) == GRANTS
    assert len({id(grant.subject) for grant in model.grants}) == SUBJECTS
    assert len({id(grant.actions) for grant in model.grants}) == 2
    assert len({id(grant.resource.type) for grant in model.grants}) == 1
    assert len({grant.id for grant in model.grants}) == GRANTS
    assert kept < 400 * GRANTS
    assert peak < 700 * GRANTS


def test_a_fault_at_the_end_of_a_large_document_has_its_place():
    data = document().replace(b'"doc-49999"', b'"doc-\\ud800"')
    (found,) = load([Source("big.json", data)], ()).diagnostics
    assert (found.code, found.path) == ("lone-surrogate", f"$.grants[{GRANTS - 1}].resource.id")
    line = data.split(b"\n")[found.line - 1].decode()
    assert line[found.column - 1 :].startswith('"doc-\\ud800"')


def document() -> bytes:
    grants = [
        {
            "subject": {"type": "user", "id": f"user-{number % SUBJECTS:05}"},
            "resource": {"type": "document", "id": f"doc-{number:05}"},
            "actions": ["read"] if number % 2 else ["update"],
        }
        for number in range(GRANTS)
    ]
    types = [{"id": "document", "actions": ["read", "update"]}]
    return json.dumps({"model": 1, "resource_types": types, "grants": grants}, indent=1).encode()
