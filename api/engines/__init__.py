"""From a commit to an engine in force: live engines, exported bundles and published ones."""
