"""The sections of a bundle, one row each. The writer, the reader and the verification use these rows.

`bundles/README.md` says how to add a section.
"""

from collections.abc import Callable
from enum import Enum, StrEnum
from functools import cache
from typing import Any, Final

import msgspec

from ..declarations.declarations import Declarations
from ..errors import UNREADABLE, BundleError
from ..manifest import Manifest
from ..program.clauses import Clause
from ..routing.routing import Routing
from .fact_records import GrantRecord, GroupRecord, Names, SubjectRecord
from .header import Extent, SectionTable
from .rule_index import AnyIndex


class Shape(Enum):
    """The arrangement of a section's records."""

    BLOB = "blob"
    """One record, and nothing else."""
    RECORD_LIST = "record list"
    """Records by number; see `record_list`."""
    BUCKET_TABLE = "bucket table"
    """Records by key; see `bucket_table`."""


class Checked(Enum):
    """The time at which the reader compares a section's checksums. `Bundle.verify` always compares all of them."""

    AT_OPENING = "at opening"
    """The checksum of the whole section, when the bundle is opened."""
    ON_ACCESS = "on access"
    """The checksum of a record or a bucket, when it is read."""


class Section(StrEnum):
    """A section: its name in the file, and its row. The sections of a file have this order."""

    shape: Shape
    record: Any
    """The type of a record, or None for a bucket table with keys only, whose values are empty."""
    checked: Checked

    # name, shape, record, checked
    MANIFEST = "manifest", Shape.BLOB, Manifest, Checked.AT_OPENING
    NAMES = "names", Shape.BLOB, Names, Checked.AT_OPENING
    CLAUSES = "clauses", Shape.RECORD_LIST, Clause, Checked.AT_OPENING
    GROUPS = "groups", Shape.RECORD_LIST, GroupRecord, Checked.ON_ACCESS
    RULES = "rules", Shape.BUCKET_TABLE, AnyIndex, Checked.AT_OPENING
    SUBJECTS = "subjects", Shape.BUCKET_TABLE, SubjectRecord, Checked.ON_ACCESS
    GRANTS = "grants", Shape.BUCKET_TABLE, tuple[GrantRecord, ...], Checked.ON_ACCESS
    ALIASES = "aliases", Shape.BUCKET_TABLE, str, Checked.ON_ACCESS
    CLOSED = "closed", Shape.BUCKET_TABLE, None, Checked.ON_ACCESS
    GRANTED = "granted", Shape.BUCKET_TABLE, tuple[str, ...], Checked.ON_ACCESS
    ROUTING = "routing", Shape.BLOB, Routing, Checked.ON_ACCESS
    DECLARATIONS = "declarations", Shape.BLOB, Declarations, Checked.ON_ACCESS

    def __new__(cls, name: str, shape: Shape, record: Any, checked: Checked) -> "Section":
        """Makes a member whose value is its name. The other columns of the row are its attributes."""
        section = str.__new__(cls, name)
        section._value_ = name
        section.shape, section.record, section.checked = shape, record, checked
        return section


CHECKED_AT_OPENING = tuple(section for section in Section if section.checked is Checked.AT_OPENING)
"""The sections of the manifest and the rules. Each of them has a special codec."""

FACTS = tuple(
    section for section in Section if section.checked is Checked.ON_ACCESS and section.shape is not Shape.BLOB
)
"""The sections of the facts. Each record is one MessagePack value of the row's type."""


SIGNATURE: Final = "signature"
"""The optional last section. It is not a member of `Section`, because `signed_bundle` adds it to a finished file."""


def signature_extent(table: SectionTable) -> Extent | None:
    """Returns where the signature of a file lies, or None if the file has none.

    Raises BundleError if another section follows it: the signature would not cover that section.
    """
    if SIGNATURE in table and [*table][-1] != SIGNATURE:
        raise BundleError("the bundle is damaged: a section follows its signature")
    return table.get(SIGNATURE)


_OTHERWISE_DECODED: Final = (Section.CLAUSES, Section.RULES, Section.DECLARATIONS)
"""`clause_codec`, `rule_index` and `declarations` decode these."""

_DECODERS: Final[dict[Section, Callable[[bytes], Any]]] = {
    section: msgspec.msgpack.Decoder(section.record).decode for section in Section if section not in _OTHERWISE_DECODED
}
"""Made while the module loads: see `prepared`."""


def bare_decoder(section: Section) -> Callable[[bytes], Any]:
    """Returns the function that decodes a record. For other bytes, it raises MsgspecError or one of UNREADABLE."""
    return _DECODERS[section]


@cache
def record_decoder(section: Section) -> Callable[[bytes], Any]:
    """Returns the function that decodes a MessagePack record of `section`. For other bytes, it raises BundleError."""
    decode = bare_decoder(section)

    def decoded(data: bytes) -> Any:
        try:
            return decode(data)
        except (msgspec.MsgspecError, *UNREADABLE) as ex:
            raise BundleError(f"the bundle is damaged: a record can't be read: {ex}") from None

    return decoded
