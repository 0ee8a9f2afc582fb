"""The check of a store's format on PostgreSQL: what an upgrade to this version will do, or has left to do."""

from ...store.database.newest_format import STORE_FORMAT
from ...store.upgrades.plan import Plan
from .finding import DoctorFinding, ok, warning

_STORE = "the store on PostgreSQL has format"


def check_format(plan: Plan) -> DoctorFinding:
    """Returns the finding about a store that is not empty."""
    servers = "1 server" if plan.older == 1 else f"{plan.older or 'no'} servers"
    if plan.format == STORE_FORMAT:
        return ok(f"{_STORE} {STORE_FORMAT}")
    if plan.is_shared:
        return warning(
            f"{_STORE} {plan.format}, which newer servers share with older ones; {servers} of these registered",
            "when all servers are upgraded, run `writ upgrade --finish`",
        )
    if plan.is_borne:
        return ok(
            f"{_STORE} {plan.format}: the first start of this version adds what format {STORE_FORMAT} has, and"
            f" {servers} of format {plan.format} go on; this version can be taken back until `writ upgrade --finish`"
        )
    return warning(
        f"{_STORE} {plan.format}, and servers of it can't go on with format {STORE_FORMAT} ({servers} registered)",
        "stop all servers, back up the database, and run `writ upgrade`",
    )
