"""The lint `absent-attribute`: a condition on an attribute that no registered resource of its types has."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ....bundles.conditions.attribute_keys import read, reads_own_key, steps_of
from ....bundles.wording import quoted
from ...checks.conditions_of import conditions_of
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...lowering.lower import EVERYTHING
from ...model.elements import Policy
from ..prepared_policy import PreparedPolicy


def absent_attribute(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each such condition if all types of its policy have registered resources and declare no attributes.

    A dotted key is present if a resource has it as one name or as a path (C1).
    """
    present = _present(draft, policies)
    for prepared in policies:
        types = _types(draft, prepared.policy)
        if not types or not types <= present.keys():
            continue
        for section, condition, path in conditions_of(prepared.policy, prepared.index):
            if section != "resource_attrs" or reads_own_key(section, condition.key):
                continue
            if not any(condition.key in present[type] for type in types):
                shown = quoted(next(iter(types))) if len(types) == 1 else "its types"
                message = f"no registered resource of {shown} has an attribute {quoted(condition.key)}"
                known = sorted({key for type in types for key in present[type]})
                help_text = draft.suggest(condition.key, known)
                yield Finding("absent-attribute", message, (*path, "key"), help_text, severity="warning")


def _present(draft: Draft, policies: Sequence[PreparedPolicy]) -> Mapping[str, set[str]]:
    """Returns the keys that resources have, for each type with resources and without declared attributes."""
    undeclared = {id for id, declared in draft.types.items() if declared.attributes is None}
    paths = {
        condition.key: steps
        for prepared in policies
        for section, condition, _ in conditions_of(prepared.policy, prepared.index)
        if section == "resource_attrs" and len(steps := steps_of(condition.key)) > 1
    }
    found: dict[str, set[str]] = defaultdict(set)
    for resource in draft.model.resources:
        if resource.type in undeclared:
            attributes = resource.attributes or {}
            known = found[resource.type]
            known.update(key for key, value in attributes.items() if value is not None)
            known.update(key for key, steps in paths.items() if read(attributes, key, steps) is not None)
    return found


def _types(draft: Draft, policy: Policy) -> set[str]:
    named = {scope.resource_type_id for scope in policy.resource_types}
    return set(draft.types) if EVERYTHING in named else named
