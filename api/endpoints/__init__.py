"""The endpoints: what a caller asks for over HTTP and gRPC, and how an error becomes an answer."""
