"""Texts in the `.writ` language: the corpus, and how a model is written as text and read again."""

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from writ.bundles import zones
from writ.compiler.compile import compile_model
from writ.compiler.language.parse import parse
from writ.compiler.language.placed import Placed
from writ.compiler.language.statements import BLANKS, statements
from writ.compiler.language.writing.model import ModelText
from writ.compiler.load import Loaded, load
from writ.compiler.model.elements import ElementKind, Model
from writ.compiler.model.normal_form import normalised
from writ.compiler.model.same_element import meaning
from writ.compiler.source import Source

FOLDER: Final = Path(__file__).parents[1] / "compiler/language/corpus"
CORPUS: Final[Mapping[str, str]] = {path.name: path.read_text() for path in sorted(FOLDER.glob("*.writ"))}
"""The texts of the corpus, by the names of their files."""


def load_writ(text: str) -> Loaded:
    """Load one text."""
    return load([Source("model.writ", text.encode())], zones.zone_names())


def load_json(document: Mapping[str, Any]) -> Loaded:
    """Load one document of plain values."""
    return load([Source("model.json", json.dumps(document).encode())], zones.zone_names())


def as_text(model: Model) -> str:
    """A model as text."""
    text = ModelText()
    return "".join(text.statement(kind, element) for kind in ElementKind for element in getattr(model, kind))


def meanings(model: Model) -> dict[str, list[Any]]:
    """The elements of a model in normal form, as plain values, without the empty lists that say nothing."""
    return {kind: [meaning(normalised(element)) for element in getattr(model, kind)] for kind in ElementKind}


def bundle_bytes(model: Model) -> bytes:
    """The bundle of a model."""
    file = BytesIO()
    compile_model(model, zones.zone_data, zones.VERSION).write(file)
    return file.getvalue()


def read(text: str) -> list[tuple[str, Any]]:
    """The list and the plain value of each statement."""
    found = (parse(text, statement).element for statement in statements(text))
    return [(element.list_name, element.value.value) for element in found]


def tokens_of(text: str) -> list[list[Placed]]:
    """The tokens of each statement, with the comments among them."""
    return [parse(text, statement).tokens for statement in statements(text)]


def comments(text: str) -> list[str]:
    """All comments, in order."""
    first = next((statement.start for statement in statements(text)), len(text))
    before = [line.strip(BLANKS) for line in text[:first].split("\n")]
    inside = [token.text.rstrip(BLANKS) for tokens in tokens_of(text) for token in tokens if token.type == "COMMENT"]
    return [line for line in before if line] + inside
