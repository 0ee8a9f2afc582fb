"""`writ doctor`: checks of an installation, each with what to do.

Reading path: `finding` → `data_directory` → `stored` → `machine` → `service` → `doctor`.
"""
