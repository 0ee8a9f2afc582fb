"""The answers of the three searches: filters, and the judges that decide candidates.

Reading path: `registered` → `turned` → `searchers` → `direct` → `filter_validity` → `filtering` →
`cached_filters` → `resources`, `subjects`, `actions`; `context_note` is their sentence about the context.
"""
