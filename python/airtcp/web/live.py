"""A running session on pages: its timeline and map, for who drives and for who looks.

The server never touches the session. The prompt's thread looks at it where nothing is awaited, and hands
the picture over; a line that a page asks for is carried out by the prompt as if it had been typed there.
"""

import contextlib
import os
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.report.html.timeline_columns import packed_timeline
from airtcp.sessions.lab import Lab
from airtcp.sessions.run_so_far import run_so_far
from airtcp.timeline.timeline import timeline_of
from airtcp.web.guard import new_token
from airtcp.web.live_site import live_app
from airtcp.web.live_state import LiveState
from airtcp.web.server import Server


class Live:
    """The pages of a session, from `open` to `close`. An audience of the prompt."""

    def __init__(self, lab: Lab, port: int = 0) -> None:
        self._lab = lab
        self._state = LiveState()
        self._shown: tuple[Any, ...] | None = None
        self.drive_token, self.look_token = new_token(), new_token()
        self._wake, self._poke = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self._poke, False)
        self._stop = False
        lab.session.listening[self._wake] = self._woken
        self._server = Server(port)
        title = f"{lab.plan['name']}, seed {lab.plan['seed']}"
        tokens = {self.drive_token: True, self.look_token: False}
        self._server.start(live_app(self._state, tokens, title, self._order))

    @property
    def drive_address(self) -> str:
        """The page of who drives."""
        return f"{self._server.address}/{self.drive_token}/"

    @property
    def look_address(self) -> str:
        """The page of who looks."""
        return f"{self._server.address}/{self.look_token}/"

    def close(self) -> None:
        """Says that it is over, and answers nobody any more."""
        self._state.end()
        self._server.close()
        self._lab.session.listening.pop(self._wake, None)
        os.close(self._wake)
        os.close(self._poke)

    # In the server's thread

    def _order(self, stop: bool) -> None:
        """Somebody has asked for a line, wants the clock to stop, or has opened a page."""
        self._stop = self._stop or stop
        with contextlib.suppress(BlockingIOError):
            os.write(self._poke, b"x")

    # In the prompt's thread

    def _woken(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._wake, 4096):
                pass
        if self._stop:
            self._stop = False
            if not self._lab.session.stands:
                self._lab.session.order_stop()

    def heard(self, text: str) -> None:
        """Something was said at the prompt."""
        self._state.hear(text)

    @property
    def has_asked(self) -> bool:
        """Whether a page has asked for a line."""
        return bool(self._state.lines)

    def asked(self) -> str | None:
        """The next line that a page has asked for."""
        return self._state.asked()

    def look(self) -> None:
        """Shows the session as it is now, if somebody looks and it is another than the one that is shown."""
        session = self._lab.session
        now = (session.folder, session.now_ns, len(session.inputs), len(session.jobs))
        if not self._state.pages or now == self._shown or session.has_ended:
            return
        flushed = session.flush()
        try:
            run = run_so_far(session.folder, self._lab.plan, session.inputs, max(1, flushed.at_ns))
            packed = packed_timeline(timeline_of(run))
        except AirtcpError as error:
            self._state.hear(f"airtcp: no picture: {error}\n")
            return
        self._shown = now
        self._state.show(packed, flushed.at_ns)
