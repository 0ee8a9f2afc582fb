"""Texts in the `.writ` language: the corpus, and how a model is written as text and read again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from writ.bundles.zones import zone_names
from writ.compiler.language.writing.model import written
from writ.compiler.load import load
from writ.compiler.model.elements import ElementKind, Model
from writ.compiler.source import Source

FOLDER: Final = Path(__file__).parents[1] / "compiler/language/corpus"
CORPUS: Final[Mapping[str, str]] = {path.name: path.read_text() for path in sorted(FOLDER.glob("*.writ"))}
"""The texts of the corpus, by the names of their files."""
