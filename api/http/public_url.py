"""The public URL: the base of every URL that the service hands out, as its operator sets it."""


def url_warning(url: str) -> str:
    """Returns the warning for an operator who did not set the variable, so that the service hands out `url`."""
    return f"`WRIT_PUBLIC_URL` is not set, so clients are told `{url}`; set it to the URL that they reach"


def below(public_url: str, path: str) -> str:
    """Returns the URL of `path`, which begins with `/`, below the public URL.

    >>> below("https://pdp.example.com/", "/access")
    'https://pdp.example.com/access'
    """
    return public_url.removesuffix("/") + path
