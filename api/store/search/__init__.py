"""Candidates of a search: SQL over the stored elements that finds every match, and perhaps more.

Reading path: `candidates` → `search_rows` → `candidate_sql`.
"""
