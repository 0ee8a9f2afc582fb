"""From a commit to an engine in force: live engines (`live/`), exported bundles (`exports/`) and published ones
(`publishing/`). A server may share its store with others (`leases/`). Long work runs in processes apart (`jobs/`), and
callers share threads (`work/`).
"""
