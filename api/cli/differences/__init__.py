"""`writ diff`: how two models differ, element by element, and which requests they decide differently.

Reading path: `sides` opens what is compared; `comparison` is the answer;
`bundle_differences`, `decided` and `people` find parts of it; `people_lines` and `shown` word it; `fail_on` says what
counts for the exit code; `diff` is the command.
"""
