"""Decides logged requests again: `replayed_record` decides one record, `tally` counts, `report` tells.

For a masked log, `masked_conditions` and `masked_model` make the model that decides masked requests.
"""
