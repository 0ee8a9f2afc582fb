"""The answers of the three searches: filters, and the judges that decide candidates.

Reading path: `registered` → `turned` → `searchers` → `direct` → `left_open` → `filter_validity` → `filtering` →
`cached_filters` → `resources`, `subjects`, `actions`; `context_note` makes the context of their answers.
`sources` finds where a right comes from.
"""
