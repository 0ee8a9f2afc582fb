"""The header `Writ-Warnings`: the warnings about the elements that a write has stored, in a form that machines read."""

import json
from collections.abc import Sequence
from typing import Final

import falcon.asgi

from ...http.openapi.operation import Parameter
from ...store.errors import BodyFault

HEADER: Final = "Writ-Warnings"
MOST_BYTES: Final = 2_048
"""The most bytes of the header's value. Proxies take a response's header fields together up to 4 KiB, by default."""

_DELETE: Final = "\x7f"
"""The one control character that JSON does not escape. A header can't have it."""

WRITE_WARNINGS: Final = Parameter(
    HEADER,
    "The warnings about the written element, if there are any: a JSON list of `{code, path, message}` in ASCII, with "
    f"`\\u` escapes, of up to {MOST_BYTES} bytes. If it is cut, the last one has the code `too-many`.",
    optional=True,
)


def show_warnings(resp: falcon.asgi.Response, warnings: Sequence[BodyFault]) -> None:
    """Set the header. Without warnings there is none."""
    if warnings:
        resp.set_header(HEADER, header_value(warnings))


def header_value(warnings: Sequence[BodyFault]) -> str:
    """Returns the warnings as a JSON list in printable ASCII, up to MOST_BYTES.

    If they do not fit, the last item has the code `too-many` and says how many are left out.
    """
    shown: list[str] = []
    sizes = [1]  # of the list's text up to each item, with the bracket or comma behind it
    for one in warnings:
        shown.append(_item(one.code, one.path, one.sentence))
        sizes.append(sizes[-1] + len(shown[-1]) + 1)
        if sizes[-1] > MOST_BYTES:
            break
    if sizes[-1] > MOST_BYTES:
        most = MOST_BYTES - len(_left_out(len(warnings))) - 1
        kept = sum(size <= most for size in sizes) - 1
        shown[kept:] = [_left_out(len(warnings) - kept)]
    return f"[{','.join(shown)}]"


def _left_out(count: int) -> str:
    return _item("too-many", "$", f"and {count} more")


def _item(code: str, path: str, message: str) -> str:
    text = json.dumps({"code": code, "path": path, "message": message}, separators=(",", ":"))
    return text.replace(_DELETE, "\\u007f")
