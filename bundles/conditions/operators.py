"""The closed set of operators that compare an attribute with a constant (rules C3 to C6)."""

from enum import StrEnum
from typing import Literal, TypeAlias


class Operator(StrEnum):
    """One of the contract's nine operators. Its value is its name in documents, bundles and filters.

    Whoever branches on an operator matches all nine and ends with `assert_never`, or looks it up in a table that a
    test checks to hold all of them.
    """

    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    IN = "in"
    NIN = "nin"
    REGEX = "regex"


Ordering: TypeAlias = Literal[Operator.GT, Operator.GTE, Operator.LT, Operator.LTE]
"""An operator that compares by order (rule C4)."""
