"""Decides logged requests again: `comparing` decides one record, `tally` counts, `report` tells."""
