"""What pages of a session show: handed over by the prompt, read by the server in its thread."""

import asyncio
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Any

# What was said before is gone for those who come later.
LOG_CHARACTERS_MOST = 20_000
# A page that sends more lines than the prompt takes is told to wait.
LINES_MOST = 50


@dataclass
class LiveState:
    """The latest picture, what was said, and who is there. Every method may be called in any thread."""

    version: int = 0
    """Number of the picture; it grows."""
    packed: str = ""
    """The timeline, as `packed_timeline` has it."""
    now_ns: int = 0
    log: str = ""
    driver: str = ""
    """The page that drives; "" if none does."""
    lines: deque[str] = field(default_factory=deque)
    """Asked for, and not yet carried out."""
    over: bool = False
    _pages: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _loop: asyncio.AbstractEventLoop | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        """Wakes all pages."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def changes(self) -> asyncio.Event:
        """What is set when something changes after this; in the server's thread."""
        self._loop = asyncio.get_running_loop()
        return self._changed

    def show(self, packed: str, now_ns: int) -> None:
        """A new picture."""
        with self._lock:
            self.packed, self.now_ns = packed, now_ns
            self.version += 1
        self.tell()

    def hear(self, text: str) -> None:
        """Something was said at the prompt."""
        with self._lock:
            self.log = (self.log + text)[-LOG_CHARACTERS_MOST:]
        self.tell()

    def end(self) -> None:
        """The session is over."""
        self.over = True
        self.tell()

    def come(self, page: str, drives: bool) -> None:
        """A page has opened; the first that may drive does."""
        with self._lock:
            self._pages[page] = self._pages.get(page, 0) + 1
            if drives and not self.driver:
                self.driver = page
        self.tell()

    def go(self, page: str) -> None:
        """A page has closed; if it drove, nobody does."""
        with self._lock:
            self._pages[page] -= 1
            if self._pages[page] <= 0:
                del self._pages[page]
                if self.driver == page:
                    self.driver = ""
        self.tell()

    def take_wheel(self, page: str) -> None:
        """From now on this page drives."""
        with self._lock:
            if page in self._pages:
                self.driver = page
        self.tell()

    def ask(self, line: str) -> bool:
        """Asks for a line; false if too many wait."""
        with self._lock:
            if len(self.lines) >= LINES_MOST:
                return False
            self.lines.append(line)
        return True

    def asked(self) -> str | None:
        """The next line that was asked for."""
        with self._lock:
            return self.lines.popleft() if self.lines else None

    @property
    def pages(self) -> int:
        """How many pages are open."""
        return len(self._pages)

    def event(self, page: str) -> dict[str, Any]:
        """What a page is told."""
        with self._lock:
            return {
                "version": self.version,
                "now_s": self.now_ns / 1e9,
                "log": self.log,
                "pages": len(self._pages),
                "drives": self.driver == page,
                "driven": bool(self.driver),
                "waiting": len(self.lines),
                "over": self.over,
            }
