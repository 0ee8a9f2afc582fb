"""The error of a search that can't be answered from a bundle."""


class SearchUnavailable(Exception):
    """A search needs the registry, which only the service has: an agent raises it (contract 7.3)."""
