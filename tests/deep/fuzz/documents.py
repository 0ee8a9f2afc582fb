"""Model documents in YAML and JSON: any bytes have diagnostics or a model, which is the same as text in the language.

The first byte chooses the form.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml
from writ.bundles import zones
from writ.compiler.diagnostics.show import show_json, show_text
from writ.compiler.language.writing.format import formatted
from writ.compiler.load import load
from writ.compiler.model.elements import Model
from writ.compiler.source import Source

from tests.deep.fuzz.targets import Law
from tests.support.hostile import damaged
from tests.support.strategies import document
from tests.support.strategies_pick import Pick
from tests.support.writ_spelling import hostile_model
from tests.support.writ_texts import as_text, bundle_bytes, load_writ, meanings

FORMS: Final = ("model.yaml", "model.json")


def starts() -> Iterator[bytes]:
    """Some models in both forms."""
    for seed in range(12):
        pick = Pick.seeded(seed)
        yield _written(seed % 2, {"model": 1} | (document(pick) if seed < 6 else hostile_model(pick)))


def mutated(pick: Pick, data: bytes) -> bytes:
    """The model with faults, or another one."""
    try:
        found = yaml.safe_load(data[1:]) if pick.chance(3, 4) else None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, AttributeError):
        found = None
    if not isinstance(found, dict) or pick.chance(1, 6):
        found = {"model": 1} | document(pick)
    return _written(pick.number(0, 1), damaged(pick, found, sendable=True))


def _written(form: int, value: Any) -> bytes:
    text = yaml.safe_dump(value, sort_keys=False) if form == 0 else json.dumps(value, default=str)
    return bytes([form]) + text.encode("utf-8", "replace")


def law(_folder: Path) -> Law:
    """See the module."""

    def holds(data: bytes) -> None:
        source = Source(FORMS[data[0] % 2] if data else FORMS[0], data[1:])
        loaded = load([source], zones.zone_names())
        assert (loaded.model is None) == any(one.severity == "error" for one in loaded.diagnostics)
        for one in loaded.diagnostics:
            assert one.message.isprintable()
            assert one.help.isprintable()
            assert min(one.line, one.column, one.length) >= 1
        assert len(json.loads(show_json(loaded.diagnostics))) == len(loaded.diagnostics)
        list(show_text(loaded.diagnostics, [source]))
        if loaded.model is not None:
            bundle_bytes(loaded.model)
            if text := as_text(loaded.model):  # an empty model has no text
                again = load_writ(text)
                assert again.model is not None, again.diagnostics
                assert formatted(text) == text
                assert _said(again.model) == _said(loaded.model)

    return holds


def _said(model: Model) -> dict[str, list[Any]]:
    """The meanings of a model without empty `attributes`, which a text leaves out."""
    return {kind: [one for one in many if one != ("object",)] for kind, many in meanings(model).items()}
