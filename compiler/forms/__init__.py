"""The forms of a model document: JSON, YAML and text, each written in pieces.

- `form`: what every form can do.
- `json_form`, `yaml_form`, `text_form`: the forms.
- `all_forms`: the forms by name.
- `convert`: writes the documents of a model in another form.
"""
