"""The difference of two models for one class of subjects and one pair of type and action.

Reading path: `pair_rules` (the rules that apply) → `cases` (the requests that strict models accept) → `diagram` (the
requests that they answer differently) → `differing` (the conditions of these) → `reason_rules` and `reason_diagram`
(the requests that both deny, with another reason).
"""
