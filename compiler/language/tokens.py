"""The tokens of a statement: words, texts, numbers, instants, addresses and marks."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lark.lexer import Lexer, LexerState, TerminalDef

from .grammar import KEYWORDS
from .placed import Placed
from .syntax_fault import bad_character, bad_escape
from .words import WORD

_IN_QUOTES = r"""(?:"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"|'[^'\n]*+')"""
"""A text in quotes. PERF: a run without a backslash is one step, and no step is kept to go back to."""

TOKEN = re.compile(
    rf"""
    (?P<skip>[ \t\r\n]+)
  | (?P<COMMENT>\#[^\n]*)
  | (?P<ATTRIBUTE>(?:resource|subject|action|context)\.(?:{WORD}|{_IN_QUOTES}))
  | (?P<INSTANT>(?a:\d{{4}}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)(?![\w:]))
  | (?P<ADDRESS>[0-9a-fA-F]*:[0-9a-fA-F]*:[0-9a-fA-F:.]*(?:%\w*)?(?:/\d*)?)
  | (?P<CLOCK>(?a:\d{{1,2}}:\d\d)(?![\w:.]))
  | (?P<NUMBER>(?a:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w@/+:-]|\.\w))
  | (?P<NAME>\w+(?:[-.@/+]+\w+)*)
  | (?P<STRING>{_IN_QUOTES})
  | (?P<PATH>/[^\s"\#]*)
  | (?P<HOSTS>\*\.[\w.-]+)
  | (?P<CAPTURE>\{{(?:\w+|\*)\}})
  | (?P<mark><=|>=|[<>,\[\]{{}}:])
  | (?P<other>.)
    """,
    re.VERBOSE,
)

_MARKS = ("<=", ">=", "<", ">", ",", "[", "]", "{", "}", ":")


class TokenInput(NamedTuple):
    """The text to cut into tokens, from `start` to `end`. Tokens and comments are added to `tokens`."""

    text: str
    start: int
    end: int
    tokens: list[Placed]


class Keywords(NamedTuple):
    """The terminals of keywords and of marks, by what the text says."""

    words: Mapping[str, str]
    marks: Mapping[str, str]


class Tokens(Lexer):
    """Cuts a statement into tokens for Lark."""

    __future_interface__ = 2

    def __init__(self, conf: Any):
        self.keywords = keywords_of(conf.terminals)

    def lex(self, lexer_state: LexerState, parser_state: Any) -> Iterator[Any]:
        """Yields the tokens of a Cut, which are Placed. Raises SyntaxFault for text that no token starts with."""
        cut: Any = lexer_state.text
        return tokens_in(cut, parser_state.parse_conf.states, parser_state.state_stack, self.keywords)


def keywords_of(terminals: Iterable[TerminalDef]) -> Keywords:
    """Returns the keywords and the marks of a grammar."""
    names = {one.pattern.value: one.name for one in terminals if one.pattern is not None}
    return Keywords({word: names[word] for word in KEYWORDS}, {mark: names[mark] for mark in _MARKS})


def tokens_in(
    cut: TokenInput, states: Mapping[int, Mapping[str, Any]], stack: Sequence[int], keywords: Keywords
) -> Iterator[Placed]:
    """Yields the tokens of a Cut. A word is a keyword only if the parser's state, the last of `stack`, expects it.

    Raises SyntaxFault for text that no token starts with.
    """
    keep = cut.tokens.append
    for found in TOKEN.finditer(cut.text, cut.start, cut.end):
        kind = found.lastgroup or ""
        if kind == "skip":
            continue
        text = value = found[0]
        start, end = found.span()
        if kind == "NAME":
            # PERF: a keyword is looked up among the terminals that the parser's state knows.
            keyword = keywords.words.get(text)
            if keyword is not None and keyword in states[stack[-1]]:
                kind = keyword
        elif kind == "STRING":
            value = decoded(text, start)
        elif kind == "ATTRIBUTE":
            if kind not in states[stack[-1]] and text[-1] not in "\"'":
                kind = "NAME"  # a name may have the form of an attribute, where none is expected
        elif kind == "mark":
            kind = keywords.marks[text]
        elif kind == "other":
            raise bad_character(cut.text, start, [str(token.value) for token in cut.tokens])
        token = Placed(value, start, end, None, kind, text)
        keep(token)
        if kind != "COMMENT":
            yield token


def decoded(text: str, start: int) -> str:
    """Returns the meaning of a text in quotes. Single quotes have no escapes. Raises SyntaxFault."""
    if text[0] == "'" or "\\" not in text:
        return text[1:-1]
    try:
        decoded: str = json.loads(text, strict=False)
    except json.JSONDecodeError as ex:
        raise bad_escape(text, start, ex.pos) from None
    return decoded
