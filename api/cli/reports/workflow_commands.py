"""Diagnostics as workflow commands, which GitHub shows beside the lines of a change."""

from collections.abc import Iterable, Iterator

from ....compiler.diagnostics.diagnostic import Diagnostic


def workflow_commands(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    """Yields one command, which is one line, for each diagnostic."""
    for one in diagnostics:
        properties = {"title": f"writ {one.code}"}
        if one.file:
            properties["file"] = one.file
        if one.line:
            properties |= {"line": str(one.line), "col": str(one.column), "endColumn": str(one.column + one.length)}
        told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        help_text = f"\n{one.help}" if one.help else ""
        yield f"::{one.severity} {told}::{_data(one.message + help_text)}"


def _data(text: str) -> str:
    r"""Returns the message of a command. GitHub decodes what is escaped.

    >>> _data("100%\n")
    '100%25%0A'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Returns the value of a property.

    >>> _property("a:b,c")
    'a%3Ab%2Cc'
    """
    return _data(text).replace(":", "%3A").replace(",", "%2C")
