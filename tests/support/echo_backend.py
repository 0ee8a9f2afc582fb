"""A small backend behind a gateway: it answers each request with what it got. Prints its port first."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Echo(BaseHTTPRequestHandler):
    """Answers with JSON: `method`, `target`, `headers` as pairs, and `body`."""

    protocol_version = "HTTP/1.1"

    def _echo(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode("latin-1")
        # The raw line, since `path` has lost the second slash of `//`.
        target = self.raw_requestline.decode("latin-1").split(" ")[1]
        told = {"method": self.command, "target": target, "headers": self.headers.items(), "body": body}
        answer = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = _echo  # noqa: N815 - the names that http.server looks for

    def log_message(self, *_arguments: object) -> None:
        """Write no log."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    print(server.server_port, flush=True)
    server.serve_forever()
