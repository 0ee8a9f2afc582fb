"""Compares two models by who may do what. Nothing here decides requests: witnesses are tried on both models.

Reading path: `limits` → `conditions/` (conditions as sets of values of variables) → `models/` (the two models, their
subjects, and what these hold) → `values/` (to try) → `differences/` (the requests of one class of subjects that are
answered differently) → `witnesses/` (a request that shows it) → `members` (the subjects of a region) → `regions` (the
result) → `touched` (how many resources) → `changed_pairs` and `not_compared` (where to look, and what is not told) →
`classes` (subjects to whom the same rules apply) → `own_ids` → `other_reasons` (denials with another reason) →
`compare` → `asking/` (who can do an action, by one model).
"""
