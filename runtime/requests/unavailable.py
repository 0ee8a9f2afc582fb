"""The error of a request that needs the registry, which a bundle does not have."""

from ...bundles.errors import Error


class SearchUnavailable(Error):
    """A search, or a request with registered attributes (E9), needs the registry.

    Only the service has it: an agent raises this error (contract 7.3).
    """
