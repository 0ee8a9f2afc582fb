"""The words of other products for the names and values of the model document."""

from collections import defaultdict
from collections.abc import Collection

from ...bundles.conditions.operators import OPERATORS
from ...bundles.wording import did_you_mean, quoted

_WORDS = {
    **{op.value: row.synonyms for op, row in OPERATORS.items()},
    "ALLOW": "permit grant accept",
    "DENY": "forbid block reject refuse disallow",
    "string": "text str",
    "number": "int integer long float double decimal numeric",
    "boolean": "bool flag",
    "instant": "timestamp datetime",
    "array": "list set",
    "object": "dict map record",
    "true": "yes on y",
    "false": "no off n",
    "mon": "monday",
    "tue": "tuesday tues",
    "wed": "wednesday",
    "thu": "thursday thur thurs",
    "fri": "friday",
    "sat": "saturday",
    "sun": "sunday",
    "key": "attribute attr field path property name",
    "op": "operator comparison comparator",
    "id": "uid uuid sid",
    "name": "title label displayname",
    "actions": "permissions verbs operations",
    "resource_type_id": "type typeid resource resourcetype",
    "resource_types": "resource resources type types targets",
    "conditions": "condition when where if constraints",
    "attributes": "properties props attrs",
    "subject": "user principal actor",
    "context": "env environment request",
    "starts_at": "starts start begins from since validfrom",
    "expires_at": "expires expiry expiration until",
    "subject_attrs": "subject user principal subjectattributes subjectattribute",
    "resource_attrs": "resource object resourceattributes resourceattribute",
    "action_attrs": "action actionattributes actionattribute",
    "context_attrs": "context environment contextattributes contextattribute",
    "ip_allowlist": "ip ips cidr cidrs ipranges iprange ipwhitelist allowlist whitelist",
    "time_window": "time window schedule",
    "timezone": "tz zone",
    "window_seconds": "window seconds period interval per",
    "model": "version",
    "policies": "rules statements",
    "subjects": "users principals",
    "resources": "objects",
    "assignments": "bindings rolebindings",
    "routes": "endpoints paths urls",
    "lints": "silences suppressions ignores warnings",
    "reason": "why because comment justification",
    "methods": "method httpmethods httpmethod",
    "hosts": "host hostnames domains",
    "path": "uri url template pattern",
    "resource_type": "type resourcetypeid",
    "resource_id": "resourceid objectid",
    "policy": "rule statement permission",
    "type": "resourcetype entity kind model",
    "assign": "assignment bind give binding",
    "allow": "permit accept can",
    "deny": "forbid block reject refuse disallow cannot",
    "when": "if where condition conditions given provided",
    "everyone": "anyone anybody all every everybody",
    "anything": "any all every everything",
    "everything": "any all every anything",
    "is": "eq equals equal = ==",
    "matches": "like regex regexp match",
    "until": "expires expiry before till",
    "because": "reason since",
    "disabled": "enabled off inactive",
    "members": "member contains",
}

_NAMES: dict[str, list[str]] = defaultdict(list)
for _name, _words in _WORDS.items():
    for _word in _words.split():
        _NAMES[_word].append(_name)


_REMEDIES = {
    "unless": "write a policy with the effect `DENY` and these conditions",
    "except": "write a policy with the effect `DENY` and these conditions",
    "or": "write a policy for each case, or compare with `in`",
    "anyof": "write a policy for each case, or compare with `in`",
    "exists": "a comparison with an absent attribute is false, so presence needs no separate test",
    "present": "a comparison with an absent attribute is false, so presence needs no separate test",
    "isset": "a comparison with an absent attribute is false, so presence needs no separate test",
    "between": "write two conditions, with `gte` and with `lte`",
    "inherits": "roles do not inherit: name all roles in the policy, or assign both",
    "parents": "roles do not inherit: name all roles in the policy, or assign both",
}
"""The remedy, by a word of other products for which Writ has none."""


def suggest(word: str, known: Collection[str]) -> str:
    """Returns help that names the word in `known` that means the same as `word` or is nearest to it, or "" if none is.

    >>> suggest("Not-In", ["in", "nin"]), suggest("permit", ["ALLOW", "DENY"]), suggest("allow", ["ALLOW", "DENY"])
    ('did you mean `nin`?', 'did you mean `ALLOW`?', 'did you mean `ALLOW`?')
    """
    folded = word.casefold().translate({ord(mark): None for mark in "_- "})
    name = next((name for name in _NAMES.get(folded, ()) if name in known), None)
    if name is not None:
        return f"did you mean {quoted(name)}?"
    return _REMEDIES.get(folded, "") or did_you_mean(word, known)
