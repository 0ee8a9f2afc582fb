"""Bundles in memory, for engines over a model that has no bundle file."""

import mmap
from collections.abc import Callable
from io import BytesIO
from typing import BinaryIO

from .reader import Bundle


def bundle_in_memory(write: Callable[[BinaryIO], object]) -> Bundle:
    """Returns the bundle that `write` writes to an empty file. No file is made."""
    file = BytesIO()
    write(file)
    data = mmap.mmap(-1, len(file.getbuffer()))
    data.write(file.getbuffer())
    return Bundle(data)
