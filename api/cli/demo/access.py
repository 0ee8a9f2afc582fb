"""The role assignments and direct grants of the demo. Some of them expire."""

from typing import Any

from .material import material
from .papers import personnel_file
from .people import Person

Fact = dict[str, Any]

# Far in the past and in the future, so that the demo never changes.
LONG_EXPIRED = "2024-12-31T00:00:00Z"
FAR_AHEAD = "2036-12-31T00:00:00Z"

GROUP_ROLES = {
    "staff": ["employee"],
    "leads": ["cleared", "editor"],
    "dept-executive": ["executive", "cleared", "director"],
    "dept-engineering": ["editor"],
    "dept-product": ["editor"],
    "dept-marketing": ["editor", "publisher"],
    "dept-finance": ["finance", "cleared"],
    "dept-legal": ["legal", "cleared"],
    "dept-records": ["records-manager", "editor"],
    "dept-audit": ["auditor", "cleared"],
    "incident-response": ["custodian"],
    "scanning-singapore": ["night-scanner"],
    "ingest-fleet": ["ingest"],
    "contractors": ["contractor"],
}
REGIONAL_ROLES = {
    "hr": "people",
    "auditor": "audit",
}  # the role `hr-emea` for the group `people-emea`, and so on
LAW_FIRM = "Hale & Brook LLP"


def assignments(staff: list[Person], temporary: list[Person]) -> list[Fact]:
    """Returns all assignments: roles of groups, of the regions' groups, and of single people."""
    groups = [{"role": role, "group": group} for group, roles in GROUP_ROLES.items() for role in roles]
    regional = [
        {"role": f"{role}-{region}", "group": f"{department}-{region}"}
        for role, department in REGIONAL_ROLES.items()
        for region in material().regions
    ]
    return groups + regional + _single(staff) + _ending(temporary)


def _single(staff: list[Person]) -> list[Fact]:
    sellers = [p for p in staff if p.department_id == "sales"]
    financiers = [p for p in staff if p.department_id == "finance"]
    return [
        *(to(p.id, "contract-manager") for p in sellers[::4]),
        *(to(p.id, "payroll-officer") for p in financiers[::3]),
        # The department has the role too, so the reported path is `role`.
        to(_team(staff, "records", "oslo")[0].id, "records-manager"),
        # Both keep their other roles and grants, which have no effect while this assignment exists.
        to(_team(staff, "scanning", "osaka")[-1].id, "suspended"),
        to(_team(staff, "sales", "boston")[-1].id, "suspended"),
        # Given to a person by mistake. It has no effect, since the policy requires a service.
        to(_team(staff, "product", "oslo")[-1].id, "ingest"),
    ]


def _team(staff: list[Person], department: str, site: str) -> list[Person]:
    return [p for p in staff if (p.department_id, p.site.id) == (department, site)]


def _ending(temporary: list[Person]) -> list[Fact]:
    """Returns the assignments of contractors, every fourth expired, and of the law firm."""
    ends = [LONG_EXPIRED if index % 4 == 3 else FAR_AHEAD for index in range(len(temporary))]
    lawyers = [o for o in material().outsiders if o.company == LAW_FIRM]
    return [
        *(to(p.id, "project-member", end) for p, end in zip(temporary, ends, strict=True)),
        *(to(lawyer.id, "deal-guest", FAR_AHEAD) for lawyer in lawyers),
    ]


def to(user: str, role: str, expires_at: str | None = None) -> Fact:
    """Returns the assignment of a role to one user."""
    return _until(expires_at, {"role": role, "subject": {"type": "user", "id": user}})


def grants(staff: list[Person], documents: list[Fact], folders: list[Fact]) -> list[Fact]:
    """Returns all direct grants: personnel files, drafts and folders for their owners, and shares for outsiders."""
    drafts = [d for d in documents if d["attributes"]["status"] == "draft"]
    return [
        *(grant(f"own-file-{p.number}", p.id, personnel_file(p), ["read"]) for p in staff),
        *(grant(f"author-{d['id']}", _owner(staff, d), d, ["read", "comment", "update"]) for d in drafts),
        *(grant(f"owner-{f['id']}", _owner(staff, f), f, ["*"]) for f in folders),
        *_shared(),
    ]


def _owner(staff: list[Person], thing: Fact) -> str:
    """Returns the owner: the first person of the thing's department in its region."""
    wanted = (thing["attributes"]["department"], thing["attributes"]["region"])
    return next(p.id for p in staff if (p.department_id, p.site.region) == wanted)


def _shared() -> list[Fact]:
    """Returns shares for outsiders. The last subject appears only in this grant."""
    contract = {"type": "contract", "id": "c-001"}
    tender, findings, survey = (
        {"type": "document", "id": id_}
        for id_ in ("sales-emea-tender-answers", "audit-emea-findings", "customers-emea-satisfaction-survey")
    )
    return [
        grant("share-tender-fjordbank", "jana.novak", tender, ["read", "comment"]),
        grant("share-contract-fjordbank", "jana.novak", contract, ["read"], FAR_AHEAD),
        grant("share-findings-renard", "paul.renard", findings, ["read"], LONG_EXPIRED),
        grant("share-survey-translator", "translator-17", survey, ["read"]),
    ]


def grant(id_: str, user: str, thing: Fact, actions: list[str], expires_at: str | None = None) -> Fact:
    """Returns a direct grant of actions on one thing to one user."""
    subject, resource = {"type": "user", "id": user}, {"type": thing["type"], "id": thing["id"]}
    return _until(expires_at, {"id": id_, "subject": subject, "resource": resource, "actions": actions})


def _until(expires_at: str | None, fact: Fact) -> Fact:
    return fact if expires_at is None else {**fact, "expires_at": expires_at}
