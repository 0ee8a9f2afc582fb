"""`writ replay`: `comparing` decides one record again, `tally` counts, `sharing` uses all cores, `replay` tells."""
