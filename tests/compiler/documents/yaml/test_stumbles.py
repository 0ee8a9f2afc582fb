"""Where policy authors stumble over YAML: the underlined text, what is said about it, and the remedy."""

from collections.abc import Iterator

import pytest
from writ.bundles.zones import zone_names
from writ.compiler.documents.yaml import composer
from writ.compiler.load import load
from writ.compiler.source import Source

HEAD = """\
model: 1
resource_types: [{id: document, actions: [read, update]}]
roles: [{id: editor}]
groups: [{id: eng}]
policies:
"""
POLICY = """\
  - id: p
    effect: ALLOW
    roles: [editor]
    resource_types: [{resource_type_id: document, actions: [read]}]
"""
OPERATORS = "`eq`, `ne`, `gt`, `gte`, `lt`, `lte`, `in`, `nin`, `regex`, `has`, `has_any` or `has_none`"
NO_DASH_SPACE = "  -id: p\n   effect: ALLOW\n"
SCOPE = """\
  - id: p
    effect: DENY
    resource_types:
      - resource_type_id: document
        actions: [read]
"""
BELOW = "`resource_attrs` belongs in `conditions`: indent it below"

STUMBLES = {
    "conditions at the root": (
        POLICY + "conditions:\n  resource_attrs: []\n",
        ("conditions", "unknown member `conditions`", "`conditions` belongs in a policy: check its indentation"),
    ),
    "conditions below the dash": (
        POLICY + "  conditions:\n    resource_attrs: []\n",
        (
            "c",
            "`conditions` is indented by 2 spaces, and `resource_types` before it by 4",
            "indent it by 4 spaces if both belong to the same object",
        ),
    ),
    "conditions too deep": (
        POLICY + "      conditions:\n        resource_attrs: []\n",
        (
            "c",
            "`conditions` is indented by 6 spaces, and `resource_types` before it by 4",
            "`resource_types` has a value already; indent `conditions` by 4 spaces too",
        ),
    ),
    "conditions between two columns": (
        POLICY + "   conditions:\n     resource_attrs: []\n",
        (
            "c",
            "`conditions` is indented by 3 spaces, and `resource_types` before it by 4",
            "indent it by 4 spaces if both belong to the same object",
        ),
    ),
    "conditions with nothing below": (
        POLICY + "    conditions:\n    resource_attrs: []\n",
        ("resource_attrs", "unknown member `resource_attrs`", BELOW),
    ),
    "conditions in a scope": (
        SCOPE + "        conditions: {}\n",
        ("conditions", "unknown member `conditions`", "`conditions` belongs in a policy: indent it less"),
    ),
    "the wrong name of a section": (
        POLICY + "    conditions:\n      resource_attributes: []\n",
        ("resource_attributes", "unknown member `resource_attributes`", "did you mean `resource_attrs`?"),
    ),
    "unless": (
        POLICY + "    unless: {}\n",
        ("unless", "unknown member `unless`", "write a policy with the effect `DENY` and these conditions"),
    ),
    "exists": (
        POLICY + "    conditions: {resource_attrs: [{key: a, op: exists, value: true}]}\n",
        (
            "exists",
            f"unknown value `exists`, expected {OPERATORS}",
            "write `op: nin` with the value `[]`, which holds if the attribute is present",
        ),
    ),
    "contains": (
        POLICY + "    conditions: {resource_attrs: [{key: a, op: contains, value: x}]}\n",
        (
            "contains",
            f"unknown value `contains`, expected {OPERATORS}",
            "did you mean `has`?",
        ),
    ),
    "a group among roles": (
        POLICY.replace("[editor]", "[eng]"),
        ("eng", "unknown role `eng`", "`eng` is a group: assign a role to it, and name that role here"),
    ),
    "an abbreviated zone": (
        POLICY + '    conditions: {time_window: {start: "09:00", timezone: CEST}}\n',
        ("CEST", "unknown time zone `CEST`", "write a zone by a city in it, such as `Europe/Berlin`"),
    ),
    "a city": (
        POLICY + '    conditions: {time_window: {start: "09:00", timezone: Oslo}}\n',
        ("Oslo", "unknown time zone `Oslo`", "did you mean `Europe/Oslo`?"),
    ),
    "an offset": (
        POLICY + '    conditions: {time_window: {start: "09:00", timezone: GMT+2}}\n',
        (
            "GMT+2",
            "unknown time zone `GMT+2`",
            "write a zone by a city in it, such as `Europe/Berlin`: an offset does not follow the seasons",
        ),
    ),
    "a tab": ("  - id: p\n\teffect: ALLOW\n", ("\t", "a tab stands in the indentation", "indent with spaces")),
    "a colon in a text": (
        "  - id: p\n    name: note: this\n",
        (":", "a second `:` stands in a text without quotes", "put the text in quotes"),
    ),
    "no colon": (
        "  - id: p\n    effect ALLOW\n    roles: [editor]\n",
        ("e", "there is no `:` after `effect`", "write `effect: ALLOW`"),
    ),
    "an open bracket": (
        "  - id: p\n    roles: [editor\n    effect: ALLOW\n",
        ("[", "the `[` that opens here is never closed", "write `]` at the end, and `,` between the parts"),
    ),
    "an open brace": (
        "  - {id: p, roles: [editor]\n  - {id: q}\n",
        ("{", "the `{` that opens here is never closed", "write `}` at the end, and `,` between the parts"),
    ),
    "a bare star": (
        "  - {id: p, resource_types: [{resource_type_id: *, actions: [read]}]}\n",
        ("*", "`*` starts an alias here", "put a text that starts with it in quotes"),
    ),
    "a bare at": (
        "  - {id: p, name: @x}\n",
        ("@", "a text without quotes can't start with `@`", "put a text that starts with it in quotes"),
    ),
    "no space after a dash": (
        NO_DASH_SPACE,
        ("-", "there is no space after the dash of this list", "write `- ` before each element"),
    ),
    "a quote in quotes": (
        "  - id: p\n    name: 'it's'\n",
        ("s", "more text follows the closing quote", "write `''` for a single quote inside single quotes"),
    ),
    "an open quote": ("  - id: p\n    name: \"it's\n", ('"', "the quotes that open here are never closed", "")),
}


@pytest.fixture(params=[composer.FastComposer, composer.PlainComposer], ids=["libyaml", "python"])
def either_parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers of PyYAML, which report faults in different words."""
    monkeypatch.setattr(composer, "_PREFERRED", request.param)


@pytest.mark.usefixtures("either_parser")
@pytest.mark.parametrize(("text", "expected"), STUMBLES.values(), ids=STUMBLES)
def test_a_stumble_is_explained(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in list(findings(HEAD + text))


def findings(text: str) -> Iterator[tuple[str, str, str]]:
    """The underlined text, the message and the help of each finding."""
    lines = text.split("\n")
    for found in load([Source("m.yaml", text.encode())], zone_names()).diagnostics:
        start = found.column - 1
        yield lines[found.line - 1][start : start + found.length], found.message, found.help
