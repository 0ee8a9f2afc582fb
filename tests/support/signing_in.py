"""A browser in front of a service whose people sign in at a small provider."""

from typing import Any, Final

from falcon import testing

from tests.support.clock import Clock
from tests.support.managed import Managed
from tests.support.openid_provider import OpenIdProvider, query

MOST_FAILED: Final = 40
"""Failed sign-ins from one address in a minute."""

PUBLIC = "https://writ.example"
RULES: dict[str, Any] = {
    "ask": "the platform team",
    "rules": [
        {"group": "admins", "scope": "admin"},
        {"group": "staging", "scope": "write", "environments": ["stage", "gone"]},
        {"group": "lost", "scope": "write", "environments": ["gone"]},
        {"group": "readers", "scope": "read"},
    ],
}


class Browser(testing.TestClient):
    """A browser in front of the service: it keeps cookies, and sends no credential of its own."""

    def __init__(self, service: Managed, provider: OpenIdProvider, clock: Clock) -> None:
        super().__init__(service.app)
        self.service, self.provider, self.clock = service, provider, clock
        self.cookies: dict[str, str] = {}

    def call(self, method: str, path: str, own: bool = True, **more: Any) -> testing.Result:
        """A request of the page, or of another site if it is not our own."""
        headers = {"X-Writ-Session": "1", "Origin": PUBLIC} if own and method not in ("GET", "HEAD") else {}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers |= more.pop("headers", {})
        answer = self.simulate_request(method, path, headers=headers, **more)
        self._keep(answer)
        return answer

    def _keep(self, answer: testing.Result) -> None:
        for one in answer.cookies.values():
            if one.expires is not None:
                self.cookies.pop(one.name, None)
            else:
                self.cookies[one.name] = one.value

    def begun(self) -> str:
        """The URL of the provider."""
        answer = self.call("GET", "/console/sign-in")
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    def came_back(self, sent: dict[str, str]) -> testing.Result:
        """The answer to what the provider sends back."""
        return self.call("GET", f"/console/callback?{query(sent)}")

    def signs_in(self, sub: str = "1", name: str = "Ann", groups: Any = ("admins",), **more: Any) -> testing.Result:
        """The answer at the end of a sign-in."""
        return self.came_back(self.provider.signs_in(self.begun(), sub=sub, name=name, groups=list(groups), **more))

    def caller(self) -> testing.Result:
        """Returns the answer about the caller."""
        return self.call("GET", "/v1/caller")
