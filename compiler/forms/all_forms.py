"""The forms of a model document by name."""

from collections.abc import Callable, Mapping

from .form import Form
from .json_form import JsonForm
from .text_form import TextForm
from .yaml_form import YamlForm

FORMS: Mapping[str, Callable[[], Form]] = {"writ": TextForm, "yaml": YamlForm, "json": JsonForm}
"""Makes the writer of a document, by the name of the form, which is also the ending of its files."""
