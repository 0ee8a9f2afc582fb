"""The closed set of operators that compare an attribute with a constant (rules C3 to C6, X6), and the words."""

from enum import Enum, StrEnum, auto
from typing import Final, Literal, NamedTuple, TypeAlias


class Operator(StrEnum):
    """One of the twelve operators. Its value is its name in documents, bundles and filters.

    Code that branches on an operator matches all and ends with `assert_never`. Or it uses a table; a test checks that
    each table has all operators. Code that needs a word for an operator takes it from `OPERATORS`.
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
    HAS = "has"
    HAS_ANY = "has_any"
    HAS_NONE = "has_none"


Ordering: TypeAlias = Literal[Operator.GT, Operator.GTE, Operator.LT, Operator.LTE]
"""An operator that compares by order (rule C4)."""


class ConstantKind(Enum):
    """The constants that an operator compares with: any, a list, a number or a string, a pattern.

    The order and the repeats of a list have no meaning (rule C5).
    """

    ANY = auto()
    LIST = auto()
    ORDERED = auto()
    PATTERN = auto()


class Phrase(NamedTuple):
    """A verb with its object, before the constant: as a statement (`is at least`), and as an infinitive."""

    states: str
    infinitive: str


class OperatorRow(NamedTuple):
    """An operator's kind of constant, the attributes that it reads, and its words."""

    constant: ConstantKind
    symbol: str
    """The symbol in the text of a program, as `writ inspect --rules` prints it."""
    written: str
    """The words of the `.writ` language. The grammar reads them, and `writ fmt` writes them."""
    phrase: Phrase
    """The sentence of a comparison.

    An operator that needs a value says so: a missing one fulfils no comparison (C2).
    """
    synonyms: str
    """The words of other products, in lower case without `-`, `_` and spaces, separated by spaces."""
    brief: Phrase | None = None
    """A shorter phrase, for a value that is known. None if it is `phrase`."""
    label: str | None = None
    """The words of the console, between an attribute and a constant. None if they are those of `brief`."""
    reads: frozenset[str] | None = None
    """The declared types of attributes that it can compare. None means all."""
    unfit: str = ""
    """The reason that it can't compare the other types, as the end of a sentence."""
    names_its_values: bool = False
    """True if the comparison holds only for attributes that equal one of the constants."""
    is_negation: bool = False
    """True if the comparison holds for every present value but those that it names."""
    of_elements: bool = False
    """True if it compares the elements of an array, and holds for no other value (X6)."""

    @property
    def short(self) -> Phrase:
        """The shortest phrase."""
        return self.brief or self.phrase

    @property
    def shown(self) -> str:
        """The words of the console."""
        return self.label or self.short.states


_ORDERED: Final = frozenset(("number", "string", "instant"))
_NO_ORDER: Final = "which has no order"
_ARRAYS: Final = frozenset(("array",))

OPERATORS: Final[dict[Operator, OperatorRow]] = {
    Operator.EQ: OperatorRow(
        ConstantKind.ANY,
        symbol="=",
        written="is",
        phrase=Phrase("is", "be"),
        synonyms="= == === is equal equals equalto stringequals numericequals",
        names_its_values=True,
    ),
    Operator.NE: OperatorRow(
        ConstantKind.ANY,
        symbol="!=",
        written="is not",
        phrase=Phrase("has a value other than", "have a value other than"),
        brief=Phrase("differs from", "differ from"),
        label="is not",
        synonyms="! != !== <> neq not isnot noteq notequal notequals notequalto stringnotequals",
        is_negation=True,
    ),
    Operator.LT: OperatorRow(
        ConstantKind.ORDERED,
        symbol="<",
        written="<",
        phrase=Phrase("is less than", "be less than"),
        synonyms="< less lessthan below before numericlessthan",
        reads=_ORDERED,
        unfit=_NO_ORDER,
    ),
    Operator.LTE: OperatorRow(
        ConstantKind.ORDERED,
        symbol="<=",
        written="<=",
        phrase=Phrase("is at most", "be at most"),
        synonyms="<= =< le leq lteq ltoreq lessequal lessthanequals lessthanorequal lessorequal atmost",
        reads=_ORDERED,
        unfit=_NO_ORDER,
    ),
    Operator.GT: OperatorRow(
        ConstantKind.ORDERED,
        symbol=">",
        written=">",
        phrase=Phrase("is greater than", "be greater than"),
        synonyms="> greater greaterthan morethan above after numericgreaterthan",
        reads=_ORDERED,
        unfit=_NO_ORDER,
    ),
    Operator.GTE: OperatorRow(
        ConstantKind.ORDERED,
        symbol=">=",
        written=">=",
        phrase=Phrase("is at least", "be at least"),
        synonyms=">= => ge geq gteq gtoreq greaterequal greaterthanequals greaterthanorequal greaterorequal atleast",
        reads=_ORDERED,
        unfit=_NO_ORDER,
    ),
    Operator.IN: OperatorRow(
        ConstantKind.LIST,
        symbol="in",
        written="in",
        phrase=Phrase("is one of", "be one of"),
        synonyms="oneof anyof isin memberof",
        names_its_values=True,
    ),
    Operator.NIN: OperatorRow(
        ConstantKind.LIST,
        symbol="not in",
        written="not in",
        phrase=Phrase("has a value that is none of", "have a value that is none of"),
        brief=Phrase("is none of", "be none of"),
        synonyms="notin noneof isnotin !in notoneof notinlist notanyof",
        is_negation=True,
    ),
    Operator.REGEX: OperatorRow(
        ConstantKind.PATTERN,
        symbol="~",
        written="matches",
        phrase=Phrase("is a text with a match of the pattern", "be a text with a match of the pattern"),
        brief=Phrase("matches", "match"),
        synonyms="~ =~ ~= re regexp match matches like stringlike pattern glob startswith endswith",
        reads=frozenset(("string", "instant")),
        unfit="and `regex` reads strings only",
    ),
    Operator.HAS: OperatorRow(
        ConstantKind.ANY,
        symbol="has",
        written="has",
        phrase=Phrase("is a list that contains", "be a list that contains"),
        brief=Phrase("contains", "contain"),
        synonyms="contains include includes haselement arraycontains",
        reads=_ARRAYS,
        unfit="and `has` reads arrays only",
        of_elements=True,
    ),
    Operator.HAS_ANY: OperatorRow(
        ConstantKind.LIST,
        symbol="has any of",
        written="has any of",
        phrase=Phrase("is a list that contains any of", "be a list that contains any of"),
        brief=Phrase("contains any of", "contain any of"),
        synonyms="any hasanyof containsany containsanyof includesany overlap overlaps intersects",
        reads=_ARRAYS,
        unfit="and `has_any` reads arrays only",
        of_elements=True,
    ),
    Operator.HAS_NONE: OperatorRow(
        ConstantKind.LIST,
        symbol="has none of",
        written="has none of",
        phrase=Phrase("is a list that contains none of", "be a list that contains none of"),
        brief=Phrase("contains none of", "contain none of"),
        synonyms="none hasnoneof nothasany notcontainsany containsnone containsnoneof disjoint excludes notcontains",
        reads=_ARRAYS,
        unfit="and `has_none` reads arrays only",
        of_elements=True,
    ),
}
"""The row of each operator, in the order in which people choose from them."""

TAKES_LIST: Final = {op: row.constant is ConstantKind.LIST for op, row in OPERATORS.items()}
"""True if the operator compares with a list.

PERF: this is a table, because a `match` takes 0.1 µs for each member that it passes in Python 3.11.
"""

NAMES_ITS_VALUES: Final = {op: row.names_its_values for op, row in OPERATORS.items()}
"""True if the comparison holds only for attributes that equal one of the constants."""

OF_ELEMENTS: Final = {op: row.of_elements for op, row in OPERATORS.items()}
"""True if the comparison is about the elements of an array (X6)."""

IS_UPWARD: dict[Ordering, bool] = {
    Operator.GT: True,
    Operator.GTE: True,
    Operator.LT: False,
    Operator.LTE: False,
}
"""True if the comparison holds for the values above its constant. If not, it holds for the values below."""
