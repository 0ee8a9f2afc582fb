"""The mark of a primary. It needs no driver: a server with a store in a file has the code of leases, too."""

from typing import NamedTuple


class PrimaryLine(NamedTuple):
    """The mark of a primary: the identifier of its cluster, its timeline, which a promotion changes, the number of the
    database, that of the transaction that noted all this, which each restore of a dump changes, and the milliseconds of
    the epoch at which all this began, above those of each earlier line that is known.
    """

    system: int
    timeline: int
    database: int
    noted: int
    began: int
