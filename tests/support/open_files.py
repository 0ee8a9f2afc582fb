"""Many connections at a time, for tests that need them."""

import resource

import pytest

_SPARE = 500


def allow_open_files(count: int) -> None:
    """Let this process and those that it starts have `count` files open beside their own; skip the test where not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = count + _SPARE
    if hard != resource.RLIM_INFINITY and hard < needed:
        pytest.skip(f"this needs {needed} open files, and the system allows {hard} (`ulimit -Hn`)")
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
