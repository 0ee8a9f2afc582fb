"""Writers: the canonical form of text.

- `layout`: lines, indentation and spaces.
- `format`: formats text, with its comments and its order.
- `constants`, `elements`, `policies`, `declarations`: the lines of an element of the model.
- `model`: writes a model.
- `compared_lines`, `changes`: the change of an element, as lines that stay, go and come.
- `atoms`: writes a compiled condition.
"""
