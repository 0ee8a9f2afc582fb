"""Duties: work that one process at a time does for all on a database, such as the upkeep of the store.

Reading path: `tenure` → `duty_tables` → `candidate` → `kept_duty`, `duty` → `duty_thread` →
`taking`. `tenure` does no I/O and reads no clock.
"""
