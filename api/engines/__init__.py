"""From a commit to an engine in force: live engines (`live/`), exported bundles (`exports/`) and published ones
(`publishing/`).
"""
