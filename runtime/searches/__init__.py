"""The answers of the three searches: filters, and the judges that decide candidates.

Reading path: `unavailable` → `searchers` → `direct` → `filter_validity` → `filtering` → `resources`, `subjects`,
`actions`.
"""
