"""What the author of a document means: faults in the words of a policy author.

- `yaml_syntax`: why a text is not YAML, and where the indentation is wrong.
- `misplaced`: where a member belongs that stands at the wrong place.
"""
