"""The calls that change what applications write in the model of a service of Writ: grants, groups and entities.

Reading path:

- `writing`: one write and its revision token, and lists;
- `wanted`: the difference between the grants that there are and those that there should be;
- `grants`, `groups`, `registry`: the calls, as steps.
"""
