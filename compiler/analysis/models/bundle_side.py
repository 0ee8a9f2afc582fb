"""The side of an analysis that a bundle is. A bundle has no attributes of entities, and few of its resources."""

from collections import defaultdict
from typing import Final

from ....bundles.file.fact_records import SubjectRecord, holder_of, read_grants_key
from ....bundles.file.reader import Bundle
from ....bundles.program.facts import EntityKey, Facts, GroupFacts, Holding, PackedGrants, SubjectFacts
from .sides import Side

_NAMES: Final = {"e": "external_id", "n": "name"}


def bundle_side(bundle: Bundle) -> Side:
    """Returns the side of a bundle. Raises BundleError for a damaged one."""
    facts = Facts(groups=_groups(bundle), subjects=_subjects(bundle), grants=_grants(bundle))
    registered: dict[str, set[str]] = defaultdict(set)
    for type, id in bundle.closed_resources():
        registered[bundle.types[type].id].add(id)
    names: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for key, id in bundle.aliases():
        owner, _, alias = key[1:].partition(":")
        if key.startswith("s"):
            facts.subjects[EntityKey(alias[: int(owner)], id)].external_id = alias[int(owner) :]
        else:
            names[bundle.types[int(owner)].id, _NAMES[key[0]]][alias] = id
    return Side(
        program=bundle.program(),
        facts=facts,
        registered=registered,
        resource_names=names,
        subject_attributes={},
        resource_attributes={},
        routes=bundle.routing().routes,
        strict=bundle.manifest.requests is not None,
        knows_resources=False,
    )


def _groups(bundle: Bundle) -> dict[str, GroupFacts]:
    records = [bundle.group(number) for number in range(bundle.group_count)]
    return {
        record.id: GroupFacts(
            {records[number].id for number in record.ancestors},
            [Holding(bundle.role_id(one.role), one.expires, one.starts) for one in record.holdings],
        )
        for record in records
    }


def _subjects(bundle: Bundle) -> dict[EntityKey, SubjectFacts]:
    return {EntityKey(type, id): _facts(bundle, record) for type, id, record in bundle.all_subjects()}


def _facts(bundle: Bundle, record: SubjectRecord) -> SubjectFacts:
    holdings = [Holding(bundle.role_id(one.role), one.expires, one.starts) for one in record.holdings]
    return SubjectFacts(None, {bundle.group(number).id for number in record.groups}, holdings)


def _grants(bundle: Bundle) -> PackedGrants:
    found = PackedGrants()
    scopes: dict[tuple[int, int], int] = {}
    for key, grants in bundle.all_grants():
        prefix, type, resource = read_grants_key(key)
        for grant in grants:
            named = type, grant.actions
            if named not in scopes:
                scopes[named] = found.add_scope(bundle.types[type].id, tuple(sorted(bundle.action_sets[grant.actions])))
            found.add(holder_of(prefix), (grant.id, scopes[named], resource, grant.expires, grant.starts))
    return found
