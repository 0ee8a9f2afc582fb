"""Clauses: the parts of a statement after its head, each with the members that it gives to the element."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ....bundles.wording import quoted
from ..placed import Members, Placed, object_of
from ..syntax_fault import SyntaxFault


class Clause(NamedTuple):
    """A clause: the keyword that starts it, its last character, and the members of the element that it gives."""

    keyword: Placed
    end: int
    members: Members

    @property
    def name(self) -> str:
        """The first word of the clause."""
        return str(self.keyword.value)


class Element(NamedTuple):
    """A statement that was read: the list of its element, the element's value, and its clauses in order."""

    list_name: str
    value: Placed
    clauses: Sequence[Clause] = ()


def clause(keyword: Placed, last: Placed, /, **members: Placed) -> Clause:
    """Returns a clause. The names of its members are all said by its keyword."""
    return Clause(keyword, last.end, {name: (keyword, value) for name, value in members.items()})


def member(value: Placed) -> tuple[Placed, Placed]:
    """Returns a member that says its value, and not its name."""
    return value, value


def element(
    list_name: str, head: Placed, members: Mapping[str, Placed | None], clauses: Iterable[Clause] = ()
) -> Element:
    """Returns the element with the members of its head and of its clauses. Raises SyntaxFault for a second clause."""
    clauses = tuple(clauses)
    said: Members = {name: member(value) for name, value in members.items() if value is not None}
    end = max([value.end for _, value in said.values()], default=head.end)
    for one in clauses:
        for name, pair in one.members.items():
            if name in said:
                raise repeated(one, said[name][0])
            said[name] = pair
        end = max(end, one.end)
    return Element(list_name, object_of(said, head.start, end), clauses)


def repeated(again: Clause, first: Placed) -> SyntaxFault:
    """Returns the fault of a clause that gives what an earlier one has given."""
    keyword = again.keyword
    help_text = "join them with `and`" if again.name == "when" else "keep one of them"
    if again.name in ("allow", "deny"):
        help_text = "write a policy for each"
    message = f"a second {quoted(again.name)}"
    if first.value != again.name and isinstance(first.value, str):
        message = f"{quoted(again.name)} after {quoted(first.value.lower())}"
    return SyntaxFault(f"{message} in one statement", keyword.start, keyword.end, help_text)


def headed(children: list[Any]) -> tuple[Placed, Placed, Placed | None, list[Clause]]:
    """Splits a statement into its keyword, the id, the name if there is one, and the clauses."""
    head, name, *rest = children
    label = next((child for child in rest if isinstance(child, Placed)), None)
    return head, name, label, [child for child in rest if isinstance(child, Clause)]
