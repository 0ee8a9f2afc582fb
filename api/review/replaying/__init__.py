"""Decides logged requests again: `replayed_record` decides one record, `tally` counts, `report` tells."""
