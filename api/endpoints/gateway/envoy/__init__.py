"""Envoy's external authorization over gRPC: `envoy.service.auth.v3.Authorization`, on a listener of each worker.

Reading path: `messages` → `check_reading` and `answers` → `grpc_services` → `listener`. Only `listener` loads without
grpcio: it imports the others in a worker, since grpcio must not start before the workers are forked.
"""
