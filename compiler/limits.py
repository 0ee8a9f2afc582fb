"""The limits of a model document, each a named value."""

from dataclasses import dataclass

from ..bundles.program.closure import MAX_PAIRS

KIB = 2**10
MIB = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """What a model document may hold at most; the units are in the names."""

    document_bytes: int = 256 * MIB
    nesting: int = 32
    """Objects and arrays around a value, the document's own included."""

    string_bytes: int = 64 * KIB
    key_characters: int = 256
    number_digits: int = 4_300
    list_constant_elements: int = 10_000
    policy_conditions: int = 100
    group_ancestors: int = MAX_PAIRS
    """Pairs of a group and one that it is in, to any depth."""

    yaml_nodes: int = 1_000_000
    """Values of a YAML document, each counted as often as aliases repeat it."""

    diagnostics: int = 1_000
    """Diagnostics listed in one run; the last one says how many more there are."""

    lint_steps: int = 5_000_000
    """Steps, of about a microsecond, that one lint compares policies before it gives up with a warning."""


DEFAULTS = Limits()
