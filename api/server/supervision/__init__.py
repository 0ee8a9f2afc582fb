"""The master process, and what it tells the service manager that started it.

Reading path: `notices` → `master`.
"""
