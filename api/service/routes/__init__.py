"""The table of routes: path, environment, handler, and the scope and OpenAPI operation of each method.

The application, the guard and the OpenAPI document follow from `all_routes`. A path without a row is not served.

Reading path: `route_row` → `decision_routes`, `model_routes`, `insight_routes`, `service_routes` → `all_routes`.
"""
