"""The groups of the demo: the hierarchy of staff, regions, sites and teams, and groups beside it."""

from collections.abc import Iterable
from typing import Any

from .material import Department, Site, material
from .people import Person, teams

Group = dict[str, Any]
Team = tuple[Site, Department]

# The ingest services with their sites.
SERVICES = {"ingest-oslo": "oslo", "ingest-boston": "boston", "ingest-singapore": "singapore"}
# The departments that work in their own region only.
REGIONAL_DEPARTMENTS = ("people", "audit")


def groups(staff: list[Person], temporary: list[Person]) -> list[Group]:
    """Returns all groups: the hierarchy from the top down, then the groups beside it."""
    return [*_by_place(), *_by_department(), *_teams(staff), *_across(staff, temporary)]


def _by_place() -> list[Group]:
    regions, sites = material().regions, material().sites
    return [
        nest("staff", "All employees", (f"region-{region}" for region in regions)),
        *(nest(f"region-{r}", name, (f"site-{s.id}" for s in sites if s.region == r)) for r, name in regions.items()),
        *(nest(f"site-{s.id}", s.city, (team_id(t) for t in teams() if t[0] == s)) for s in sites),
    ]


def _by_department() -> list[Group]:
    """Returns a group for each department, and for each region of the regional departments."""
    company = [nest(f"dept-{d.id}", d.name, (team_id(t) for t in teams() if t[1] == d)) for d in material().departments]
    regional = [
        nest(f"{d.id}-{region}", f"{d.name}, {name}", (team_id(t) for t in teams() if _works(t, d, region)))
        for d in material().departments
        if d.id in REGIONAL_DEPARTMENTS
        for region, name in material().regions.items()
    ]
    return company + regional


def _works(team: Team, department: Department, region: str) -> bool:
    return team[1] == department and team[0].region == region


def _teams(staff: list[Person]) -> list[Group]:
    """Returns a group for each department at each site. In the hierarchy, only these have people as members."""
    return [
        gather(
            team_id(team),
            f"{team[1].name}, {team[0].city}",
            (p for p in staff if (p.site, p.department) == team),
        )
        for team in teams()
    ]


def _across(staff: list[Person], temporary: list[Person]) -> list[Group]:
    """Returns the groups beside the hierarchy. The last two contain each other, which is harmless (P3)."""
    continuity = gather("business-continuity", "Business continuity", _executives(staff))
    machines = [{"type": "service", "id": id_} for id_ in SERVICES]
    return [
        gather("leads", "Team leads", (p for p in staff if p.title == "Lead")),
        gather("contractors", "Contractors", temporary),
        {"id": "ingest-fleet", "name": "Ingest services", "members": machines},
        {**continuity, "members": [*continuity["members"], {"group": "incident-response"}]},
        nest("incident-response", "Incident response", ["dept-it", "business-continuity"]),
    ]


def _executives(staff: list[Person]) -> list[Person]:
    return [p for p in staff if p.department_id == "executive"]


def team_id(team: Team) -> str:
    """Returns the id of the group of a department at a site, such as `finance-oslo`."""
    site, department = team
    return f"{department.id}-{site.id}"


def nest(id_: str, name: str, inner: Iterable[str]) -> Group:
    """Returns a group of groups, given by their ids."""
    return {"id": id_, "name": name, "members": [{"group": group} for group in inner]}


def gather(id_: str, name: str, people: Iterable[Person]) -> Group:
    """Returns a group of people."""
    return {"id": id_, "name": name, "members": [{"type": "user", "id": person.id} for person in people]}
