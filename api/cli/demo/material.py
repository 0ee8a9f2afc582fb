"""The material of the demo, from `material.json`: names, sites, departments and titles."""

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
    """A department: its headcount at each kind of site, and its documents in every region.

    `papers` maps a title to its classification.
    """

    id: str
    name: str
    headcount: dict[SiteKind, int]
    papers: dict[str, str]


class Outsider(Struct, frozen=True, forbid_unknown_fields=True):
    """A person of another company."""

    id: str
    name: str
    company: str


class Material(Struct, frozen=True, forbid_unknown_fields=True):
    """The material. `regions` maps ids to names."""

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
    """Returns the material. Reads it once."""
    return decode(files(__package__).joinpath("material.json").read_bytes(), type=Material)
