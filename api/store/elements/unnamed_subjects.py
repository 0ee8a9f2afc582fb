"""Warns about written grants to subjects that nothing else names, whose ids may be misspelt (P4)."""

from collections.abc import Iterable, Iterator, Sequence

from ....bundles.wording import quoted
from ....compiler.model.elements import Grant
from ..errors import BodyFault
from .workspace import Workspace

_REMEDY = "if the id is right, the grant holds as it is"

_OF_TYPE = (
    "SELECT 1 FROM subjects WHERE environment = ?1 AND type = ?2",
    "SELECT 1 FROM group_subjects WHERE environment = ?1 AND type = ?2",
    "SELECT 1 FROM assignments WHERE environment = ?1 AND subject_type = ?2",
)
"""Queries of what names subjects of a type, by an index each: their list, groups, assignments."""

_OF_KEY = (f"{_OF_TYPE[0]} AND id = ?3", f"{_OF_TYPE[1]} AND id = ?3", f"{_OF_TYPE[2]} AND subject_id = ?3")


def _any(queries: Sequence[str]) -> str:
    return f"({' OR '.join(f'EXISTS ({query})' for query in queries)})"


_UNNAMED = f"SELECT 1 WHERE NOT {_any(_OF_KEY)} AND {_any(_OF_TYPE)}"


def unnamed_subjects(workspace: Workspace, grants: Iterable[tuple[int, Grant]]) -> Iterator[BodyFault]:
    """Yields the warnings about written grants, each given with the index of its edit. The write is applied already.

    A subject is named if it is listed, is a member of a group or has an assignment. Writ need not know subjects, and a
    model without them says nothing about who exists: each of its grants would have a warning. So there is one only if
    the model names other subjects of the same type.
    """
    for edit, grant in grants:
        if grant.subject is None:  # a group is declared (P7)
            continue
        type, id = grant.subject.type, grant.subject.id
        if workspace.db.execute(_UNNAMED, (workspace.number, type, id)).fetchone() is not None:
            message = f"nothing but grants names the {type} {quoted(id)}"
            yield BodyFault("unnamed-subject", "$.subject", message, _REMEDY, edit)
