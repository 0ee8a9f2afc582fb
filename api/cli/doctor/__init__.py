"""`writ doctor`: checks of an installation, each with what to do.

Reading path: `finding` → `directory_checks` → `rights_checks` → `backup_check` → `format_check` → `store_checks` →
`machine` → `sign_in_checks` → `service` → `doctor`.
"""
