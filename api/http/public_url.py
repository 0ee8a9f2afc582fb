"""The public URL: the base of every URL that the service hands out, as its operator sets it."""

from urllib.parse import urlsplit

import falcon.asgi


class Locations:
    """Falcon middleware that puts the path of the public URL before each `Location` (RFC 9110, 10.2.2).

    A client behind a proxy reaches `/v1/clients/c` at `/authz/v1/clients/c` if the public URL ends with `/authz`.
    """

    def __init__(self, public_url: str) -> None:
        self._path = urlsplit(public_url).path.removesuffix("/")

    async def process_response(
        self, _req: falcon.asgi.Request, resp: falcon.asgi.Response, _resource: object, _succeeded: bool
    ) -> None:
        """Completes the header, if the answer has one with a path."""
        location = resp.get_header("Location")
        if location is not None and location.startswith("/"):  # not that of a provider where people sign in
            resp.set_header("Location", self._path + location)


def url_warning(url: str) -> str:
    """Returns the warning for an operator who did not set the variable, so that the service hands out `url`."""
    return f"`WRIT_PUBLIC_URL` is not set, so clients are told `{url}`; set it to the URL that they reach"


def below(public_url: str, path: str) -> str:
    """Returns the URL of `path`, which begins with `/`, below the public URL.

    >>> below("https://pdp.example.com/", "/access")
    'https://pdp.example.com/access'
    """
    return public_url.removesuffix("/") + path
