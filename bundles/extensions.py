"""The closed sets of what a bundle may rely on: extensions (X1 to X7), strict requests (E8), and later rules."""

from typing import Final, Literal, TypeAlias, get_args

ExtensionName: TypeAlias = Literal["references", "now", "arrays"]
"""The name of an extension that a model may use."""

EXTENSIONS: Final[tuple[ExtensionName, ...]] = get_args(ExtensionName)
"""The names of all extensions."""

Need: TypeAlias = Literal["anonymous", "kinds"]
"""The name of a rule that came later.

`anonymous`: a route is marked for requests without a credential (E11). `kinds`: a policy compares a declared attribute,
whose kind counts (C13).
"""

NEEDS: Final[tuple[Need, ...]] = get_args(Need)
"""The names of all rules that came later."""

ANONYMOUS: Final[Need] = "anonymous"
KINDS: Final[Need] = "kinds"

RequestMode: TypeAlias = Literal["strict"]
"""The way in which a model wants requests to be checked."""

STRICT: Final[RequestMode] = "strict"
