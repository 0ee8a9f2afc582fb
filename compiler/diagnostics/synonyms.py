"""The words of other products for the names and values of the model document."""

from collections import defaultdict
from collections.abc import Collection

from ...bundles.conditions.operators import OPERATORS
from ...bundles.wording import LIKE, did_you_mean, quoted

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
    "starts_at": "starts start startat begins from since validfrom notbefore",
    "expires_at": "expires expiry expiration until ends endsat end endat validuntil validto notafter",
    "subject_attrs": "subject user principal subjectattributes subjectattribute",
    "resource_attrs": "resource object resourceattributes resourceattribute",
    "action_attrs": "action actionattributes actionattribute",
    "context_attrs": "context environment contextattributes contextattribute",
    "not_before": "after from since validfrom startsat",
    "not_after": "before until validuntil validto expiresat endsat",
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
    "anonymous": "public allowanonymous unauthenticated anon",
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
    "disabled": "off inactive",
    "members": "member contains",
}

_NAMES: dict[str, list[str]] = defaultdict(list)
for _name, _words in _WORDS.items():
    for _word in _words.split():
        _NAMES[_word].append(_name)


_PRESENCE = "write `op: nin` with the value `[]`, which holds if the attribute is present"
_ABSENCE = 'no condition asks for absence: let the application send a value such as `"none"`'
_NO_NEGATION = "no operator is the opposite of `regex`: write a policy with `DENY` for what matches"
_ANOTHER_DENY = "write a policy with the effect `DENY` and these conditions"
_REMEDIES = {
    "unless": _ANOTHER_DENY,
    "except": _ANOTHER_DENY,
    "or": "write a policy for each case, or compare with `in`",
    "anyof": "write a policy for each case, or compare with `in`",
    "between": "write two conditions, with `gte` and with `lte`",
    "inherits": "roles do not inherit: name all roles in the policy, or assign both",
    "parents": "roles do not inherit: name all roles in the policy, or assign both",
    "parentroles": "roles do not inherit: name all roles in the policy, or assign both",
}
"""The remedy, by a word of other products for which Writ has none."""

_SHORT, _LIKE_SHORT = 3, 0.75
"""Among the shortest operators, such as `lte` and `gte`, one letter is another meaning."""

_REMEDIES_OF = {
    "nin": {
        **dict.fromkeys(("exists", "present", "isset", "ispresent", "notnull", "isnotnull"), _PRESENCE),
        **dict.fromkeys(("notexists", "absent", "missing", "isnull", "notpresent", "unset", "isabsent"), _ABSENCE),
        **dict.fromkeys(
            ("notregex", "notmatch", "notmatches", "notlike", "doesnotmatch", "nregex", "!~"), _NO_NEGATION
        ),
        **dict.fromkeys(
            ("nhas", "hasnt", "nothas", "hasnot", "lacks", "notcontain", "doesnotcontain"),
            "write `op: has_none` and a list",
        ),
        **dict.fromkeys(
            ("all", "hasall", "containsall", "hasallof", "superset"), "write a condition with `has` for each element"
        ),
    },
    "ip_allowlist": dict.fromkeys(
        ("ipdenylist", "ipblocklist", "ipblacklist", "denylist", "blocklist", "blacklist", "ipoutside", "notip"),
        "no test asks for an address outside of a block: write a policy with the effect `DENY` and an `ip_allowlist`",
    ),
    "except_roles": {
        "derivedroles": "roles are assigned: name them in `roles`, and write what else must hold in `conditions`",
        **dict.fromkeys(("disabled", "inactive", "off"), "write `enabled: false` to switch a policy off"),
        **dict.fromkeys(("excluderoles", "excludedroles", "notroles", "denyroles"), "did you mean `except_roles`?"),
    },
}
"""The remedies at one kind of place, by a word that may stand there: an operator, or a member of a policy."""


def suggest(word: str, known: Collection[str]) -> str:
    """Returns help that names the word in `known` that means the same as `word` or is nearest to it, or "" if none is.

    >>> suggest("Not-In", ["in", "nin"]), suggest("permit", ["ALLOW", "DENY"]), suggest("allow", ["ALLOW", "DENY"])
    ('did you mean `nin`?', 'did you mean `ALLOW`?', 'did you mean `ALLOW`?')
    """
    folded = word.casefold().translate({ord(mark): None for mark in "_- "})
    name = next((name for name in _NAMES.get(folded, ()) if name in known), None)
    if name is not None:
        return f"did you mean {quoted(name)}?"
    of_place = next((remedies for one, remedies in _REMEDIES_OF.items() if one in known), {})
    likeness = _LIKE_SHORT if "nin" in known and len(folded) <= _SHORT else LIKE
    return of_place.get(folded) or _REMEDIES.get(folded) or did_you_mean(word, known, likeness)
