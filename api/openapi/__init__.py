"""The OpenAPI document of the service: what is said of each route, and the schemas of the types that it speaks."""
