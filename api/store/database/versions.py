"""The version of this program, and the newest formats of files that it reads and writes."""

from importlib.metadata import version
from typing import Final

from msgspec import Struct

from ....bundles.file.header import VERSION as BUNDLE_FORMAT
from .newest_format import STORE_FORMAT


class Formats(Struct, frozen=True):
    """The newest format of each kind of file. Writ reads the older ones too."""

    store: int
    bundle: int


FORMATS: Final = Formats(STORE_FORMAT, BUNDLE_FORMAT)


def program_version() -> str:
    """Returns the version of the installed program, like `0.1.0`, or `0.1.dev5800+g8ed29205` between two releases."""
    return version("writ-pdp")
