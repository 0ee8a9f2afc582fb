"""The generated part of the demo: people, archive and access. The bytes are always the same."""

import json
from typing import Any

from .access import assignments, grants
from .demo_groups import SERVICES, groups
from .material import material
from .papers import contracts, documents, folders, payroll_runs, personnel_file
from .people import contractors, employees, subject


def organisation() -> bytes:
    """Returns the model document of the organisation, as JSON."""
    staff = employees()
    temporary = contractors(after=len(staff))
    places, papers = folders(), documents()
    files = [personnel_file(person) for person in staff]
    model = {
        "model": 1,
        "groups": groups(staff, temporary),
        "subjects": [*(subject(person) for person in staff + temporary), *_outsiders(), *_services()],
        "resources": [*places, *papers, *contracts(), *files, *payroll_runs(staff)],
        "assignments": assignments(staff, temporary),
        "grants": grants(staff, papers, places),
    }
    return json.dumps(model, ensure_ascii=False, indent=1).encode()


def _outsiders() -> list[dict[str, Any]]:
    return [
        {"type": "user", "id": person.id, "attributes": {"name": person.name, "company": person.company}}
        for person in material().outsiders
    ]


def _services() -> list[dict[str, Any]]:
    return [
        {"type": "service", "id": id_, "external_id": f"svc|{id_}", "attributes": {"site": site}}
        for id_, site in SERVICES.items()
    ]
