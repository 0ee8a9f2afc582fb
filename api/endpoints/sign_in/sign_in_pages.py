"""The pages between the provider and the console: after a sign-in, and if it failed."""

from html import escape
from typing import Final

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Writ</title>
<link rel="icon" href="style/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="style/console.css">
{script}</head>
<body>
<main class="sign-in">
<form>
<h1>{title}</h1>
<p id="text">{text}</p>
<p>{link}</p>
</form>
</main>
</body>
</html>
"""
_SCRIPT: Final = '<script type="module" src="app/arrived.js"></script>\n'


def signed_in_page() -> bytes:
    """Returns the page after a sign-in. It goes on to the console: the cookie of a session comes with no redirect."""
    link = '<a href="./">Go on to the console</a>'
    return _page("You are signed in", "The console opens.", link, _SCRIPT)


def failed_page(text: str) -> bytes:
    """Returns the page that says why a person is not signed in."""
    link = '<a href="./">Back to the sign-in</a>'
    return _page("You are not signed in", text, link, "")


def _page(title: str, text: str, link: str, script: str) -> bytes:
    return _PAGE.format(title=escape(title), text=escape(text), link=link, script=script).encode()
