"""Translates a model to the files of a bundle for OPA, whose decisions equal Writ's."""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from ..model.elements import Model
from ..passes import compile_program
from . import conditions_text, decision_text, request_text, values_text, windows_text
from .model_data import model_data
from .refusals import NotInRego, refusals
from .rules_module import rules_module

MANIFEST: Final = ".manifest"

_LIBRARY: Final = {
    "writ/values.rego": values_text.TEXT,
    "writ/request.rego": request_text.TEXT,
    "writ/conditions.rego": conditions_text.TEXT,
    "writ/windows.rego": windows_text.TEXT,
    "writ/policy.rego": decision_text.TEXT,
}
"""The files that are the same for every model. Each one calls functions of earlier ones only."""


def bundle_files(
    model: Model, zone_data: Callable[[str], bytes], revision: str, metadata: Mapping[str, object]
) -> dict[str, bytes]:
    """Returns the files of an OPA bundle, by their names in it. The same model gives the same bytes.

    `model` passed its checks. `zone_data` returns the TZif file of a time zone by its name. `revision` and `metadata`
    go into the manifest, where they have no meaning for OPA.

    Raises NotInRego if Rego can't say a policy exactly.
    """
    program = compile_program(model)
    refused = refusals(program)
    if refused:
        raise NotInRego(refused)
    manifest = {"revision": revision, "roots": ["writ"], "rego_version": 1, "metadata": metadata}
    return {
        MANIFEST: _json(manifest),
        **{name: text.encode() for name, text in _LIBRARY.items()},
        "writ/rules.rego": rules_module(program).encode(),
        "writ/data.json": _json({"model": model_data(model, program, zone_data)}),
    }


def _json(value: object) -> bytes:
    return msgspec.json.encode(value, order="sorted") + b"\n"
