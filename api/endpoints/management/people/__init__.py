"""Comparisons by people in processes apart: who gains and who loses by a change that a caller asks about.

Reading path: `people_job` compares and answers. `document_people` is the comparison for a whole model.
"""
