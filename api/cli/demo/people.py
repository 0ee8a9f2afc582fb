"""The people of the demo, spread over sites and departments. They are always the same."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .material import Department, Site, material

CONTRACTORS = 24
FIRST_EMPLOYEE_NUMBER = 10_001
FIRST_CONTRACTOR_NUMBER = 90_001


@dataclass(frozen=True, slots=True)
class Person:
    """A person who logs in. Contractors have no department."""

    number: int
    name: str
    site: Site
    department: Department | None
    title: str
    clearance: int

    @property
    def id(self) -> str:
        """Returns the subject id: the name in lower-case ASCII, such as `ines.goncalves`."""
        ascii_name = unicodedata.normalize("NFKD", self.name).encode("ascii", "ignore").decode("ascii")
        return ascii_name.lower().replace(" ", ".")

    @property
    def department_id(self) -> str:
        """Returns the id of the department, or `none`."""
        return self.department.id if self.department else "none"


def name_of(index: int) -> str:
    """Returns the name of the person at an index, from 0. No name repeats before all combinations are used.

    >>> name_of(0), name_of(60)
    ('Amara Okafor', 'Amara Kamau')
    """
    first_names, last_names = material().first_names, material().last_names
    rounds, first = divmod(index, len(first_names))
    # A round moves each first name on by 7 * 60 + 1 last names, which is coprime with the 64 that there are.
    last = (7 * index + rounds) % len(last_names)
    return f"{first_names[first]} {last_names[last]}"


def teams() -> Iterator[tuple[Site, Department]]:
    """Yields every department at each of its sites."""
    for site in material().sites:
        for department in material().departments:
            if department.headcount[site.kind]:
                yield site, department


def employees() -> list[Person]:
    """Returns the employees, team by team. The first of each team is its lead."""
    places = [(*team, place) for team in teams() for place in range(team[1].headcount[team[0].kind])]
    return [employee(index, *where) for index, where in enumerate(places)]


def employee(index: int, site: Site, department: Department, place: int) -> Person:
    """Returns the person at an index of the staff and at a place in the team, both from 0."""
    lead = place == 0
    title = "Lead" if lead else "Senior" if place % 3 == 1 else "Associate"
    clearance = 3 if department.id == "executive" else 2 if lead else 1
    return Person(FIRST_EMPLOYEE_NUMBER + index, name_of(index), site, department, title, clearance)


def contractors(after: int) -> list[Person]:
    """Returns the contractors, spread over the sites. Their names follow those of `after` employees."""
    sites = material().sites
    return [
        Person(FIRST_CONTRACTOR_NUMBER + i, name_of(after + i), sites[i % len(sites)], None, "Contractor", 0)
        for i in range(CONTRACTORS)
    ]


def subject(person: Person) -> dict[str, Any]:
    """Returns a person as an element of `subjects`."""
    attributes = {
        "name": person.name,
        "department": person.department_id,
        "site": person.site.id,
        "region": person.site.region,
        "title": person.title,
        "clearance": person.clearance,
    }
    return {"type": "user", "id": person.id, "external_id": f"idp|{person.number}", "attributes": attributes}
