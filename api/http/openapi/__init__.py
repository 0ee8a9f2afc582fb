"""The OpenAPI document of the service, made from the operations that stand beside their handlers.

Reading path: `operation` has the types, `vocabulary` the parameters and headers that operations share. `schemas` and
`openapi_document` put the document together, and `resource` serves it. `api/service/routes/` says which operation
belongs to which path.
"""
