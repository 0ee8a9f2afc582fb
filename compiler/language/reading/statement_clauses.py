"""Clauses: the parts of a statement after its head, each with the members that it gives to the element."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ....bundles.wording import quoted
from ..placed import Members, Placed, object_of
from ..syntax_fault import SyntaxFault


class StatementClause(NamedTuple):
    """A clause: the keyword that starts it, its last character, and the members of the element that it gives."""

    keyword: Placed
    end: int
    members: Members

    @property
    def name(self) -> str:
        """The first word of the clause."""
        return str(self.keyword.value)


class ReadStatement(NamedTuple):
    """A statement that was read: the list of its element, the element's value, and its clauses in order."""

    list_name: str
    value: Placed
    clauses: Sequence[StatementClause] = ()


def clause(keyword: Placed, last: Placed, /, **members: Placed) -> StatementClause:
    """Returns a clause. The names of its members are all said by its keyword."""
    return StatementClause(keyword, last.end, {name: (keyword, value) for name, value in members.items()})


def member(value: Placed) -> tuple[Placed, Placed]:
    """Returns a member that says its value, and not its name."""
    return value, value


def element(
    list_name: str, head: Placed, members: Mapping[str, Placed | None], clauses: Iterable[StatementClause] = ()
) -> ReadStatement:
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
    return ReadStatement(list_name, object_of(said, head.start, end), clauses)


def repeated(again: StatementClause, first: Placed) -> SyntaxFault:
    """Returns the fault of a clause that gives what an earlier one has given."""
    keyword = again.keyword
    help_text = "join them with `and`" if again.name == "when" else "keep one of them"
    if again.name in ("allow", "deny"):
        help_text = "write a policy for each"
    message = f"a second {quoted(again.name)}"
    if first.value != again.name and isinstance(first.value, str):
        message = f"{quoted(again.name)} after {quoted(first.value.lower())}"
    return SyntaxFault(f"{message} in one statement", keyword.start, keyword.end, help_text)


def headed(children: list[Any]) -> tuple[Placed, Placed, Placed | None, list[StatementClause]]:
    """Splits a statement into its keyword, the id, the name if there is one, and the clauses."""
    head, name, *rest = children
    label = next((child for child in rest if isinstance(child, Placed)), None)
    return head, name, label, [child for child in rest if isinstance(child, StatementClause)]
