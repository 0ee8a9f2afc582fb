"""The limits of a model document."""

from dataclasses import dataclass

from ..bundles.program.closure import MAX_PAIRS

KIB = 2**10
MIB = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a model document may contain. The names give the units."""

    document_bytes: int = 256 * MIB
    nesting: int = 32
    """Objects and arrays around a value, counted from the document itself."""

    string_bytes: int = 64 * KIB
    key_characters: int = 256
    number_digits: int = 4_300
    list_constant_elements: int = 10_000
    policy_conditions: int = 100
    model_pattern_instructions: int = 200_000
    """RE2 instructions of the different patterns of all policies, without those of plain text.

    That is room for 10,000 ordinary patterns of 20 instructions, or for 66 of the largest. To compile all patterns of a
    model takes three seconds at most.
    """

    group_depth: int = 64
    """Groups in a chain, each a member of the next. All groups of a cycle count."""

    group_ancestors: int = MAX_PAIRS
    """Pairs of a group and a group that contains it, to any depth."""

    routes: int = 10_000
    route_entries: int = 100
    """The hosts, the methods and the attributes of a route, each."""

    yaml_nodes: int = 1_000_000
    """Values of a YAML document, counted again for each alias."""

    diagnostics: int = 1_000
    """Diagnostics that one run lists. If there are more, one further diagnostic gives their number."""

    lint_steps: int = 5_000_000
    """Steps that one lint may take to compare policies or routes, about a microsecond each.

    Then it stops with a warning.
    """


DEFAULTS = Limits()
