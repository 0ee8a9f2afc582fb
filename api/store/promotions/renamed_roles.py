"""The roles that a promotion renames: their assignments in the target keep their holders, under the new name."""

from collections.abc import Iterator, Mapping, Sequence

from ....bundles.wording import quoted
from ....compiler.model.elements import ElementKind
from ....compiler.renaming.references import Renamable
from ....compiler.renaming.renamed import Rename, renamed_body
from ..database.connection import Connection
from ..elements.element_bodies import change_text, decode_body, element_of, encode_body
from ..elements.tables import TABLES
from ..environments import Environment
from ..errors import BodyFault, ElementKey, Rejected
from .policy_model import PolicyModel, Stored
from .promotion import ElementDifference, RoleRename


def refuse_renames(renames: Sequence[RoleRename], before: PolicyModel, after: PolicyModel) -> None:
    """Raises Rejected unless each rename leads from a role that goes to one that comes.

    Then no role gets the holders of another one that stays.
    """
    old, new = (model.stored[ElementKind.ROLES] for model in (before, after))
    faults = []
    for place, one in enumerate(renames):
        said = [
            (f"the promotion removes no role {quoted(one.old)}", "from", (one.old,) in old and (one.old,) not in new),
            (f"the promotion adds no role {quoted(one.new)}", "to", (one.new,) in new and (one.new,) not in old),
        ]
        path = f"$.renames[{place}]"
        faults += [BodyFault("bad-promotion", f"{path}.{at}", text) for text, at, holds in said if not holds]
    for at in ("old", "new"):
        if len({getattr(one, at) for one in renames}) < len(renames):
            faults.append(BodyFault("bad-promotion", "$.renames", "a role is renamed twice, or two get one name"))
    if faults:
        raise Rejected(tuple(faults))


def renamed_assignments(
    db: Connection, target: Environment, renames: Sequence[RoleRename]
) -> Mapping[ElementKey, tuple[Stored, Stored]]:
    """Returns all assignments of an environment by key, as they are and under the new names of their roles."""
    kind = ElementKind.ASSIGNMENTS
    found: dict[ElementKey, tuple[Stored, Stored]] = {}
    for text in TABLES[kind].bodies(db, target.number):
        one = Stored(text, element_of(kind, text))
        found[str(getattr(one.element, "id", "")),] = one, _renamed(kind, one, renames)
    return found


def renamed_differences(found: Mapping[ElementKey, tuple[Stored, Stored]]) -> Iterator[ElementDifference]:
    """Yields the assignments that change."""
    kind = ElementKind.ASSIGNMENTS
    for key, (was, now) in found.items():
        if was is not now:
            old, new = decode_body(was.text), decode_body(now.text)
            yield ElementDifference(kind, key[-1], "changed", old, new, change_text(kind, old, new))


def _renamed(kind: ElementKind, one: Stored, renames: Sequence[RoleRename]) -> Stored:
    body = before = decode_body(one.text)
    for rename in renames:
        body = renamed_body(Rename(Renamable.ROLE, rename.old, rename.new), kind, body)
    if body == before:
        return one
    text = encode_body(body)
    return Stored(text, element_of(kind, text))
