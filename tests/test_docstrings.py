"""The examples in docstrings are what happens."""

import doctest
from importlib import import_module

import pytest

from tests.support.structure import MODULES


@pytest.mark.parametrize("module", sorted(set(MODULES) - {"writ.__main__"}))
def test_examples(module):
    """pytest's own collection of docstrings would import the root package under the name of the checkout's folder."""
    assert doctest.testmod(import_module(module)).failed == 0
