"""The closed sets of what a model may opt into: its extensions (X1 to X7), and strict requests (E8)."""

from typing import Final, Literal, TypeAlias, get_args

ExtensionName: TypeAlias = Literal["references", "now", "arrays"]
"""The name of an extension that a model may use."""

EXTENSIONS: Final[tuple[ExtensionName, ...]] = get_args(ExtensionName)
"""The names of all extensions."""

RequestMode: TypeAlias = Literal["strict"]
"""The way in which a model wants requests to be checked."""

STRICT: Final[RequestMode] = "strict"
