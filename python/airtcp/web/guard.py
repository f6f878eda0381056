"""What stands before pages on loopback: who may ask, and what browsers may do with the answers.

Any page of the internet can make a browser send requests to loopback, and any user of the machine can
send them himself. So the address holds a secret, the name of the host must be loopback's (a name of
others that leads here is DNS rebinding), and who changes something must come from a page of this server.
"""

import hmac
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = "127.0.0.1"
# 128 bits, as the session identifiers of OWASP's Session Management Cheat Sheet have at least 64.
TOKEN_BYTES = 16

_HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


def new_token() -> str:
    """A secret for an address."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def is_token(given: str, token: str) -> bool:
    """Whether somebody knows the secret; how long that takes to find out says nothing about it."""
    return hmac.compare_digest(given.encode(), token.encode())


class Guard:
    """Lets through what comes to loopback by its name, and from no other page."""

    def __init__(self, app: "ASGIApp", port: int) -> None:
        self._app = app
        self._hosts = frozenset(f"{name}:{port}" for name in (HOST, "localhost"))

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answers a request."""
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._may_pass(scope["method"], headers):
            from starlette.responses import PlainTextResponse

            await PlainTextResponse("refused", 403)(scope, receive, send)
            return

        async def with_headers(message: "Message") -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        await self._app(scope, receive, with_headers)

    def _may_pass(self, method: str, headers: Mapping[str, str]) -> bool:
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self._hosts:
            return False
        if origin is not None and origin != f"http://{host}":
            return False
        # A form of another page can't send this type without asking first, which nobody answers.
        return method == "GET" or (
            origin is not None and headers.get("content-type", "").startswith("application/json")
        )
