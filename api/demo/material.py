"""What the demo is made of: names, sites, departments and titles, curated by hand in `material.json`."""

from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.json import decode

SiteKind: TypeAlias = Literal["head office", "hub", "office"]


class Site(Struct, frozen=True, forbid_unknown_fields=True):
    """A place where people work."""

    id: str
    city: str
    region: str
    kind: SiteKind


class Department(Struct, frozen=True, forbid_unknown_fields=True):
    """A department: how many people it has at a site of each kind, and what it writes in every region.

    `papers` maps a title to its classification.
    """

    id: str
    name: str
    headcount: dict[SiteKind, int]
    papers: dict[str, str]


class Outsider(Struct, frozen=True, forbid_unknown_fields=True):
    """Someone of another company, known but not employed."""

    id: str
    name: str
    company: str


class Material(Struct, frozen=True, forbid_unknown_fields=True):
    """All of it; `regions` maps an id to a name."""

    first_names: list[str]
    last_names: list[str]
    regions: dict[str, str]
    sites: list[Site]
    departments: list[Department]
    outsiders: list[Outsider]
    handbook: list[str]
    projects: list[str]
    project_papers: list[str]
    deal_room: list[str]
    clients: list[str]
    contract_kinds: list[str]


@cache
def material() -> Material:
    """The material, read once."""
    return decode(files(__package__).joinpath("material.json").read_bytes(), type=Material)
