"""Instants at which something in a model ends or begins: there, a wrong comparison shows."""

import math
from typing import Any

from tests.support.oracle_instants import instant
from tests.support.strategies_pick import Pick

ENDS = ("starts_at", "expires_at")


def moment(pick: Pick, document: dict[str, Any], otherwise: float) -> float:
    """Half of the time the very instant of a start or an expiry, or the least bit beside it; else the other instant."""
    rows = [*document.get("assignments", []), *document.get("grants", [])]
    ends = [float(instant(row[end])) for row in rows for end in ENDS if end in row]
    if not ends or pick.chance(1, 2):
        return otherwise
    end = pick.one(ends)
    return pick.one((end, end, math.nextafter(end, math.inf), math.nextafter(end, -math.inf)))
