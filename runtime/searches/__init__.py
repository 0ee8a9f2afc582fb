"""Filters for a request, and the judges of candidates for the three searches."""
