"""Compiles documents for tests: from plain values to an engine over a real bundle file."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from writ.api.cli.demo import demo_sources
from writ.api.review.testing.model_registry import ModelRegistry
from writ.bundles import zones
from writ.bundles.file.reader import open_bundle
from writ.compiler.compile import Compiled, compile_model
from writ.compiler.diagnostics.diagnostic import Diagnostic
from writ.compiler.load import load
from writ.compiler.source import Source
from writ.runtime import Engine

Document = dict[str, Any]


def compiled(document: Document) -> Compiled:
    """The compiled form of a valid document."""
    return _compiled(json.dumps({"model": 1} | document))


@lru_cache(8)
def _compiled(text: str) -> Compiled:
    """Compiles a text once, if it is needed again soon: for an engine, and for the deltas from and to it."""
    loaded = load([Source("model.json", text.encode())], zones.zone_names())
    assert loaded.model is not None, loaded.diagnostics
    return compile_model(loaded.model, zones.zone_data, zones.VERSION)


def bundle_file(document: Document, path: Path) -> Path:
    """The bundle of a valid document, written to `path`."""
    with path.open("w+b") as file:
        compiled(document).write(file)
    return path


def demo_bundle(path: Path) -> tuple[Diagnostic, ...]:
    """The demo's bundle, written to `path`; gives back what the compiler had to say."""
    loaded = load([Source(*document) for document in demo_sources()], zones.zone_names())
    assert loaded.model is not None, loaded.diagnostics
    with path.open("w+b") as file:
        compile_model(loaded.model, zones.zone_data, zones.VERSION).write(file)
    return loaded.diagnostics


def engine_with_registry(document: Document, path: Path) -> Engine:
    """The same engine as `engine_for`, with the registry of the document (E9)."""
    loaded = load([Source("model.json", json.dumps({"model": 1} | document).encode())], zones.zone_names())
    assert loaded.model is not None, loaded.diagnostics
    return Engine(open_bundle(bundle_file(document, path)), lambda: 0.0, registry=ModelRegistry(loaded.model))


def engine_for(document: Document, path: Path) -> Engine:
    """An engine over the bundle of a valid document; its clock stands still at the epoch."""
    return Engine.open(bundle_file(document, path), clock=lambda: 0.0)
