"""Writes JSON values as Rego."""

import json

from ...bundles.conditions.values import Json


def rego(value: Json) -> str:
    r"""Returns a JSON value as a Rego term. Characters that a reader can't see are escaped.

    >>> rego({"a": [1, 2.5, True]}), rego("é\u202e\n"), rego(1e23)
    ('{"a": [1, 2.5, true]}', '"é\\u202e\\n"', '99999999999999991611392')
    """
    if isinstance(value, str):
        return f'"{"".join(map(_character, value))}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(rego, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{rego(name)}: {rego(member)}' for name, member in value.items())}}}"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # all digits, so that equal numbers of OPA are equal numbers of Writ
    return json.dumps(value)


def rego_set(texts: list[str]) -> str:
    """Returns a Rego set of strings.

    >>> rego_set(["a", "b"]), rego_set([])
    ('{"a", "b"}', 'set()')
    """
    return f"{{{', '.join(map(rego, texts))}}}" if texts else "set()"


def _character(character: str) -> str:
    if character.isprintable() and character not in '"\\':
        return character
    return json.dumps(character)[1:-1]
