"""Reads a YAML model document from its composed nodes, which know the places of its values."""

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ....bundles.conditions.values import Json
from ....bundles.wording import Path, described
from ...diagnostics.diagnostic import Finding
from ...limits import Limits
from ...model.elements import LISTS, SINGLE_MEMBERS
from ...source import Source, SourceText, Span
from ..bad_document import BadDocument
from ..document_handler import ByteProgress, DocumentHandler
from ..raw_values import FaultyObject, Unreadable, repeated_member, too_deep
from .composer import DEEPEST, compose, too_many_values
from .scalars import ARRAY, OBJECT, STRING, scalar_value, unknown_tag

_MERGE_KEY = "<<"
_MERGE_FAULT = Unreadable("merge-key", "YAML 1.2 has no merge keys", "write the members out")


class YamlDocument:
    """A YAML document. It keeps its nodes in memory."""

    def __init__(self, source: Source, limits: Limits):
        self.source = source
        self.text = SourceText(source)
        self._limits = limits
        self._root: Node | None = None
        self._values = 0
        self._open: set[int] = set()

    def read(self, handler: DocumentHandler, byte_progress: ByteProgress) -> None:
        """Reads the whole document. Raises BadDocument and BadText; `handler` keeps the elements before the fault."""
        root = self._root = compose("".join(self.text.chunks()), self._limits, byte_progress)
        if not isinstance(root, MappingNode):
            raise BadDocument(
                "wrong-type",
                "a model document is an object",
                root.start_mark.index,
                "write `model: 1` and the lists beside it",
            )
        if root.tag != OBJECT:
            fault = unknown_tag(root.tag)
            handler.report(Finding(fault.code, fault.message, (), fault.help))
        for key, node in root.value:
            self._read_member(key, node, handler)
        handler.end()

    def value(self) -> Json:
        """Returns the whole document as one value. What can't be read in it is Unreadable. Raises as `read`."""
        self._root = compose("".join(self.text.chunks()), self._limits, lambda _: None)
        return self._value(self._root)

    def span(self, path: Path, at_key: bool) -> Span:
        """Returns the span of the value at `path`, or with `at_key`, of its member's name; see `Document.span`."""
        if self._root is None:
            return Span(0, 1)
        node = key = self._root
        for step in path:
            found = _member(node, step) if isinstance(step, str) else _item(node, step)
            if found is None:
                return _span(node)
            key, node = found
        return _span(key if at_key else node)

    def _read_member(self, key: Node, node: Node, handler: DocumentHandler) -> None:
        name, fault = self._name(key)
        if fault:
            handler.report(Finding(fault.code, fault.message, (name,), fault.help, at_key=True))
            for lost in LISTS:
                handler.mark_incomplete(lost)
        elif handler.begin(name):
            is_list = name in LISTS and name not in SINGLE_MEMBERS
            if is_list and isinstance(node, SequenceNode) and node.tag == ARRAY:
                take = handler.elements(name)
                self._open.add(id(node))
                for item in node.value:
                    take(self._value(item), False)
                self._open.remove(id(node))
            else:
                handler.value(name, self._value(node))

    def _value(self, node: Node) -> Json:
        """Returns the value of a node, or Unreadable if it has a fault."""
        self._values += 1
        if self._values > self._limits.yaml_nodes:
            raise too_many_values(node.start_mark.index, self._limits)
        if isinstance(node, ScalarNode):
            return scalar_value(node.tag, node.value, self._limits)
        if node.tag != (ARRAY if isinstance(node, SequenceNode) else OBJECT):
            return unknown_tag(node.tag)
        if id(node) in self._open:
            return Unreadable("recursive-alias", "the value contains itself through an alias")
        if len(self._open) == DEEPEST:
            return too_deep(self._limits)
        self._open.add(id(node))
        value = self._object(node) if isinstance(node, MappingNode) else [self._value(item) for item in node.value]
        self._open.remove(id(node))
        return value

    def _object(self, node: MappingNode) -> dict[str, Json]:
        members: dict[str, Json] = {}
        faults: list[tuple[str, Unreadable]] = []
        for key, value in node.value:
            name, fault = self._name(key)
            if fault is None and name in members:
                fault = repeated_member(name)
            if fault:
                faults.append((name, fault))
            if fault is None or name in members:
                members[name] = self._value(value)
        return FaultyObject(members, faults) if faults else members

    def _name(self, key: Node) -> tuple[str, Unreadable | None]:
        """Returns the name of a member, and its fault or None."""
        if not isinstance(key, ScalarNode):
            return "?", Unreadable("wrong-type", "the name of a member must be a string", "JSON has no other names")
        if key.tag == STRING:
            is_merge = key.value == _MERGE_KEY and not key.style
            return key.value, _MERGE_FAULT if is_merge else None
        value = scalar_value(key.tag, key.value, self._limits)
        if isinstance(value, Unreadable):
            return key.value, value
        message = f"the name of a member must be a string, found {described(value)}"
        return key.value, Unreadable("wrong-type", message, "put it in quotes")


def yaml_value(source: Source, limits: Limits) -> Json:
    """Returns the value of any YAML document, such as an OpenAPI document. What can't be read in it is Unreadable.

    A member whose name is not a string is left out. Raises BadDocument and BadText.
    """
    return YamlDocument(source, limits).value()


def _member(node: Node, name: str) -> tuple[Node, Node] | None:
    """Returns the nodes of a member's name and value, or None. If a name is repeated, the last one counts."""
    pairs = node.value if isinstance(node, MappingNode) else ()
    return next((pair for pair in reversed(pairs) if isinstance(pair[0], ScalarNode) and pair[0].value == name), None)


def _item(node: Node, index: int) -> tuple[Node, Node] | None:
    if isinstance(node, SequenceNode) and index < len(node.value):
        return node.value[index], node.value[index]
    return None


def _span(node: Node) -> Span:
    """Returns the span of a node.

    That is the whole scalar; the bracket or first dash of an array; the brace or first name of an object.
    """
    start = node.start_mark.index
    if isinstance(node, ScalarNode):
        return Span(start, max(node.end_mark.index - start, 1))
    if isinstance(node, MappingNode) and node.value and not node.flow_style:
        return _span(node.value[0][0])
    return Span(start, 1)
