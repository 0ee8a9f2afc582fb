"""The error of a search that a bundle can't answer."""


class SearchUnavailable(Exception):
    """A bundle with the profile `decision` answers evaluations only, not searches (contract 7.3)."""
