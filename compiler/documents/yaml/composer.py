"""Composes the nodes of a YAML document with PyYAML and the tags of the core schema, up to a depth and a number."""

import re

import yaml
from yaml.composer import Composer
from yaml.nodes import Node, ScalarNode, SequenceNode
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from ....bundles.wording import quoted
from ...language.words import STATEMENTS
from ...limits import Limits
from ..bad_document import BadDocument, EmptyDocument
from ..document_handler import ByteProgress
from ..raw_values import too_deep
from .scalars import ARRAY, OBJECT, STRING, plain_tag
from .syntax_faults import SyntaxProblem, explain_yaml

DEEPEST = 200
"""The nesting at which composing stops. It is above the limit of documents, so that their fault has an exact place."""

PROGRESS_NODES = 10_000
"""The number of nodes between two reports of progress."""

_IN_QUOTES = "while scanning a quoted scalar"
_SEVERAL = "expected a single document in the stream"
_WRIT = re.compile(rf"(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+({'|'.join(STATEMENTS)})[ \t]+[^\s:#]++(?=\s|$)")
"""The first statement of a text in the `.writ` language."""

_CONTROL = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def compose(text: str, limits: Limits, byte_progress: ByteProgress) -> Node:
    """Returns the root node of a document. Raises BadDocument if it is not YAML, is empty, or exceeds a limit."""
    if control := _CONTROL.search(text):
        message = f"YAML can't contain the character {quoted(control[0])} without an escape"
        raise BadDocument("syntax", message, control.start())
    try:
        root: Node | None = _PREFERRED(text, limits, byte_progress).get_single_node()
    except yaml.MarkedYAMLError as ex:
        raise _other_language(text) or _bad_document(ex, text) from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise BadDocument("syntax", "the document is not valid YAML", 0) from None
    if root is None:
        raise EmptyDocument(0, "write `model: 1`")
    if isinstance(root, ScalarNode) and (other := _other_language(text)):
        raise other
    return root


def _other_language(text: str) -> BadDocument | None:
    """Returns the error of a document that is no YAML and starts as text in the `.writ` language does, or None."""
    found = _WRIT.match(text)
    if found is None:
        return None
    message = "the document is text in the `.writ` language, and not YAML"
    return BadDocument("syntax", message, found.start(1), "give its file a name that ends in `.writ`")


def too_many_values(offset: int, limits: Limits) -> BadDocument:
    """Returns the error of a document with more values than the limit, counted again for each alias."""
    message = f"the document has more than {limits.yaml_nodes} values, which is the limit of a YAML document"
    return BadDocument("too-many-values", message, offset, "write a large model as JSON")


def _bad_document(ex: yaml.MarkedYAMLError, text: str) -> BadDocument:
    offset = ex.problem_mark.index if ex.problem_mark else 0
    if ex.context == _SEVERAL:
        return BadDocument(
            "several-documents", "a second document starts here", offset, "write each document to its own file"
        )
    start = ex.context_mark.index if ex.context_mark else offset
    if ex.context == _IN_QUOTES and offset == len(text):
        return BadDocument("syntax", "the quotes that open here are never closed", start)
    explained = explain_yaml(text, SyntaxProblem(ex.problem or "", ex.context or "", offset, start))
    return BadDocument("syntax", explained.message, explained.offset, explained.help)


class _CoreResolver:
    """Gives PyYAML's composers the tags of the core schema, and raises BadDocument at a limit.

    PyYAML calls the methods and sets their names.
    """

    def __init__(self, limits: Limits, byte_progress: ByteProgress):
        self._limits, self._byte_progress = limits, byte_progress
        self._depth = self._nodes = 0

    def descend_resolver(self, parent: Node | None, _index: object) -> None:
        self._depth += 1
        self._nodes += 1
        offset = parent.start_mark.index if parent else 0
        if self._depth > DEEPEST:
            fault = too_deep(self._limits)
            raise BadDocument(fault.code, fault.message, offset)
        if self._nodes > self._limits.yaml_nodes:
            raise too_many_values(offset, self._limits)
        if self._nodes % PROGRESS_NODES == 0:
            self._byte_progress(offset)

    def ascend_resolver(self) -> None:
        self._depth -= 1

    def resolve(self, kind: type[Node], value: str | None, implicit: tuple[bool, bool] | bool) -> str:
        if kind is ScalarNode:
            return plain_tag(value or "") if isinstance(implicit, tuple) and implicit[0] else STRING
        return ARRAY if kind is SequenceNode else OBJECT


class PlainComposer(Reader, Scanner, Parser, Composer, _CoreResolver):
    """The composer that is written in Python."""

    def __init__(self, text: str, limits: Limits, byte_progress: ByteProgress):
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)
        _CoreResolver.__init__(self, limits, byte_progress)


if yaml.__with_libyaml__:
    from yaml._yaml import CParser

    class FastComposer(CParser, _CoreResolver):
        """The composer of libyaml, about ten times as fast."""

        def __init__(self, text: str, limits: Limits, byte_progress: ByteProgress):
            CParser.__init__(self, text)
            _CoreResolver.__init__(self, limits, byte_progress)

    _PREFERRED: type[FastComposer] | type[PlainComposer] = FastComposer
else:
    _PREFERRED = PlainComposer
