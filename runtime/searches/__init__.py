"""The answers of the three searches: filters, and the judges that decide candidates.

Reading path: `unavailable` → `searchers` → `direct` → `validity` → `filtering` → `resources`, `subjects`, `actions`.
"""
