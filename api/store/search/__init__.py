"""Candidates of a search: SQL over the stored elements that finds every match, and perhaps more."""
