"""The addresses of a session's pages, and what may be asked for there."""

import asyncio
import contextlib
import json
import re
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Any

from airtcp.report.html.page import asset
from airtcp.report.html.timeline_script import timeline_script
from airtcp.web.guard import is_token
from airtcp.web.live_state import LiveState
from airtcp.web.page import built, page, style

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

# What pages may ask the prompt for: time, and changes of the network; not what runs programs or writes files.
COMMANDS = ("run", "until", "step", "back", "goto", "move", "rssi", "loss", "wire", "link")
LINE_CHARACTERS_MOST = 300
BODY_BYTES_MOST = 2000
# So often a page hears something, or is found to have gone.
BEAT_S = 10.0
_CLIENT = re.compile(r"[0-9a-f]{16}")


def refused(line: str) -> str:
    """Why a line of a page is not carried out; "" if it is."""
    if len(line) > LINE_CHARACTERS_MOST or not line.isprintable():
        return f"a line has at most {LINE_CHARACTERS_MOST} printable characters"
    if (line.split() or [""])[0] not in COMMANDS:
        return f"a page may ask for {', '.join(COMMANDS)}; write other commands at the prompt"
    return ""


def live_app(
    state: LiveState, tokens: Mapping[str, bool], title: str, order: Callable[[bool], None]
) -> "Starlette":
    """What answers. `tokens`: whether who knows one may drive; `order`: wakes the prompt, or stops time."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    site = _LiveSite(state, tokens, title, order)
    return Starlette(
        routes=[
            Route("/{token}/", site.page),
            Route("/{token}/events", site.events),
            Route("/{token}/timeline", site.timeline),
            Route("/{token}/line", site.line, methods=["POST"]),
            Route("/{token}/stop", site.stop, methods=["POST"]),
            Route("/{token}/wheel", site.wheel, methods=["POST"]),
        ]
    )


class _LiveSite:
    def __init__(
        self, state: LiveState, tokens: Mapping[str, bool], title: str, order: Callable[[bool], None]
    ) -> None:
        self._state = state
        self._tokens = tokens
        self._title = title
        self._order = order

    def _may_drive(self, request: "Request") -> bool | None:
        """Whether who asks may drive; `None` if he may not even look."""
        given = request.path_params["token"]
        found = [drives for token, drives in self._tokens.items() if is_token(given, token)]
        return found[0] if found else None

    async def page(self, request: "Request") -> "Response":
        from starlette.responses import HTMLResponse

        drives = self._may_drive(request)
        if drives is None:
            return _text("not found", 404)
        text, rules = page(
            "live",
            (asset("timeline.css"), style("live")),
            (timeline_script(), built("live")),
            title=self._title,
            data={"client": secrets.token_hex(8), "mayDrive": drives, "commands": COMMANDS},
        )
        return HTMLResponse(text, headers={"content-security-policy": rules})

    async def timeline(self, request: "Request") -> "Response":
        if self._may_drive(request) is None:
            return _text("not found", 404)
        return _text(self._state.packed)

    async def events(self, request: "Request") -> "Response":
        from starlette.responses import StreamingResponse

        drives, client = self._may_drive(request), request.query_params.get("client", "")
        if drives is None or not _CLIENT.fullmatch(client):
            return _text("not found", 404)
        return StreamingResponse(self._stream(client, drives), media_type="text/event-stream")

    async def _stream(self, client: str, drives: bool) -> AsyncIterator[str]:
        """Server-sent events (HTML Living Standard, 9.2): the state, whenever it is another one."""
        changes = self._state.changes()
        self._state.come(client, drives)
        # Who comes wants a picture.
        self._order(False)
        told: dict[str, Any] | None = None
        try:
            while True:
                event = self._state.event(client)
                if event != told:
                    told = event
                    yield f"data: {json.dumps(event)}\n\n"
                else:
                    yield ": still here\n\n"
                if event["over"]:
                    return
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(changes.wait(), BEAT_S)
                changes = self._state.changes()
        finally:
            self._state.go(client)

    async def line(self, request: "Request") -> "Response":
        asked, wrong = await self._driver(request)
        if wrong is not None:
            return wrong
        line = str(asked.get("line", "")).strip()
        if why := refused(line):
            return _text(why, 400)
        if not self._state.ask(line):
            return _text("too many lines wait", 429)
        self._order(False)
        return _text("asked", 202)

    async def stop(self, request: "Request") -> "Response":
        _, wrong = await self._driver(request)
        if wrong is not None:
            return wrong
        self._order(True)
        return _text("asked", 202)

    async def wheel(self, request: "Request") -> "Response":
        asked, wrong = await self._asked(request)
        if wrong is not None:
            return wrong
        self._state.take_wheel(str(asked.get("client")))
        return _text("asked", 202)

    async def _driver(self, request: "Request") -> "tuple[dict[str, Any], Response | None]":
        """What the one page that drives has asked."""
        asked, wrong = await self._asked(request)
        if wrong is None and asked.get("client") != self._state.driver:
            return {}, _text("another page drives", 409)
        return asked, wrong

    async def _asked(self, request: "Request") -> "tuple[dict[str, Any], Response | None]":
        """What somebody who may drive has asked."""
        drives = self._may_drive(request)
        if drives is None:
            return {}, _text("not found", 404)
        if not drives:
            return {}, _text("this address is for looking", 403)
        content = b""
        async for chunk in request.stream():
            content += chunk
            if len(content) > BODY_BYTES_MOST:
                return {}, _text("is too long", 413)
        try:
            asked = json.loads(content)
        except ValueError:
            return {}, _text("is not JSON", 400)
        return (asked, None) if isinstance(asked, dict) else ({}, _text("is no object", 400))


def _text(text: str, status: int = 200) -> "Response":
    from starlette.responses import PlainTextResponse

    return PlainTextResponse(text, status)
