"""The archive of the demo: folders, documents, contracts, personnel files and payroll runs."""

from typing import Any, NamedTuple

from .material import Department, material
from .people import Person

Entity = dict[str, Any]

STATUSES = ("published", "approved", "draft", "in-review", "published", "archived", "superseded")
APPROVALS: tuple[list[str], ...] = (["legal", "finance"], ["legal"], [], ["finance", "legal"])
SHARED_FOLDERS = {"handbook": "people", "projects": "records", "deals": "executive"}
PAYROLL_YEAR = 2026


class Paper(NamedTuple):
    """The given attributes of a document. The other attributes follow from its index in the list."""

    id: str
    path: str
    classification: str
    region: str
    department: str
    status: str | None = None


def slug(text: str) -> str:
    """Returns a title as an id.

    >>> slug("Budget forecast")
    'budget-forecast'
    """
    return text.lower().replace(" ", "-")


def regions_of(department: Department) -> list[str]:
    """Returns the regions in which a department has a team."""
    staffed = {site.region for site in material().sites if department.headcount[site.kind]}
    return [region for region in material().regions if region in staffed]


def folders() -> list[Entity]:
    """Returns a folder for each department and region, and the shared folders."""
    owned = [
        folder(f"{department.id}-{region}", f"/{department.id}/{region}", region, department.id)
        for department in material().departments
        for region in regions_of(department)
    ]
    return owned + [folder(id_, f"/{id_}", "emea", owner) for id_, owner in SHARED_FOLDERS.items()]


def folder(id_: str, path: str, region: str, department: str) -> Entity:
    """Returns a folder as an element of `resources`."""
    attributes = {"path": path, "region": region, "department": department}
    return {"type": "folder", "id": id_, "name": path, "attributes": attributes}


def documents() -> list[Entity]:
    """Returns all documents: those of the departments, the handbook, the client projects and one deal room."""
    papers = [*_of_departments(), *_of_the_handbook(), *_of_projects(), *_of_the_deal()]
    return [document(index, paper) for index, paper in enumerate(papers)]


def document(index: int, paper: Paper) -> Entity:
    """Returns a document as an element of `resources`."""
    attributes = {
        "path": paper.path,
        "classification": paper.classification,
        "status": paper.status or STATUSES[index % len(STATUSES)],
        "region": paper.region,
        "department": paper.department,
        "legal_hold": index % 9 == 4,
        "retention": {"class": ("short", "long")[index % 2], "until": f"{2023 + index % 11}-12-31"},
        "tags": ["scanned", paper.region] if index % 3 == 0 else [paper.region],
        "pages": 2 + index * 7 % 90,
    }
    names = {"external_id": f"DMS-{200_001 + index}", "name": paper.path}
    return {"type": "document", "id": paper.id, **names, "attributes": attributes}


def _of_departments() -> list[Paper]:
    return [
        Paper(f"{d.id}-{region}-{slug(title)}", f"/{d.id}/{region}/{slug(title)}", secrecy, region, d.id)
        for d in material().departments
        for region in regions_of(d)
        for title, secrecy in d.papers.items()
    ]


def _of_the_handbook() -> list[Paper]:
    titles = [slug(title) for title in material().handbook]
    return [Paper(f"handbook-{t}", f"/handbook/{t}", "public", "emea", "people", "published") for t in titles]


def _of_projects() -> list[Paper]:
    regions = list(material().regions)
    papers = [slug(paper) for paper in material().project_papers]
    projects = [(slug(p), regions[i % len(regions)]) for i, p in enumerate(material().projects)]
    return [
        Paper(f"project-{project}-{paper}", f"/projects/{project}/{paper}", "internal", region, "records")
        for project, region in projects
        for paper in papers
    ]


def _of_the_deal() -> list[Paper]:
    titles = [slug(title) for title in material().deal_room]
    return [
        Paper(f"deal-heron-{t}", f"/deals/heron/{t}", "restricted", "emea", "executive", "published") for t in titles
    ]


def contracts() -> list[Entity]:
    """Returns every kind of contract with every client."""
    pairs = [(client, kind) for client in material().clients for kind in material().contract_kinds]
    return [contract(index, *pair) for index, pair in enumerate(pairs)]


def contract(index: int, counterparty: str, kind: str) -> Entity:
    """Returns a contract as an element of `resources`. Its `external_id` is its number in accounting."""
    regions = list(material().regions)
    attributes = {
        "counterparty": counterparty,
        "status": ("in-negotiation", "in-force")[index % 2],
        "region": regions[index % len(regions)],
        "value": 15_000 + index * 37_000 % 480_000,
        "approvals": APPROVALS[index % len(APPROVALS)],
    }
    names = {"external_id": f"ERP-{7001 + index}", "name": f"{counterparty} {kind}"}
    return {"type": "contract", "id": f"c-{index + 1:03}", **names, "attributes": attributes}


def personnel_file(person: Person) -> Entity:
    """Returns the personnel file of an employee. The auditors' DENY policies match the region in its id."""
    region = person.site.region
    names = {"id": f"pf-{region}-{person.number}", "name": f"{person.name}, {person.number}"}
    attributes = {"region": region, "department": person.department_id, "status": "active"}
    return {"type": "hr-file", **names, "attributes": attributes}


def payroll_runs(staff: list[Person]) -> list[Entity]:
    """Returns the payroll runs of one year, by month and region."""
    months = [f"{PAYROLL_YEAR}-{month:02}" for month in range(1, 13)]
    regions = list(material().regions)
    return [payroll_run(month, region, staff) for month in months for region in regions]


def payroll_run(month: str, region: str, staff: list[Person]) -> Entity:
    """Returns the payroll run of a region in a month as an element of `resources`."""
    headcount = sum(person.site.region == region for person in staff)
    attributes = {"month": month, "region": region, "status": "open", "headcount": headcount}
    return {"type": "payroll-run", "id": f"payroll-{region}-{month}", "attributes": attributes}
