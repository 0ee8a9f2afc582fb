"""`writ test`: policy tests, which ask a model for decisions and filters and compare the answers.

Reading path: `codes` and `shapes` say what a test file contains; `checks` and `reading` read one; `tested_model` is
asked; `comparing` compares answers; `running` runs tests; `coverage` tells what no test tried; `text_report` and
`machine_reports` show results; `discovery` and `session` run the files on disk; `watching` waits for changes; `test` is
the command.
"""
