"""Policy tests: questions to a model, and what its answers must have.

Reading path: `policy_test_codes` and `shapes` say what a file of tests contains; `unread_members` and `question_checks`
find its faults, and `file_reading` reads it; `stored` reads a set of tests in a store; `tested_model` is asked,
`model_registry` has the attributes that it lists, and `compiled_model` makes it from a checked model; `undeclared`
finds slips, and `refused_requests` what strict models refuse; `comparing` compares answers; `running` runs tests;
`coverage` tells what no test tried.
`set_runs` runs stored sets within a time, `outcome_report` reports that, and `tests_gate` is for promotions.
"""
