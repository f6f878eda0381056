"""A server of pages on loopback, in a thread of its own."""

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from airtcp.errors import AirtcpError
from airtcp.web.guard import HOST, Guard

if TYPE_CHECKING:
    from starlette.applications import Starlette

# So long a page that is being sent may take when the server ends.
END_S = 2


class Server:
    """The server; it answers from `start` to `close`."""

    def __init__(self, port: int = 0) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((HOST, port))
        except OSError as error:
            self._socket.close()
            what = f"can't be used: {error.strerror}"
            raise AirtcpError(what, f"port {port}", "Name another one with --port, or none") from None
        self.port = int(self._socket.getsockname()[1])
        self.loop: asyncio.AbstractEventLoop | None = None
        """Where the answers are made, once it has started."""
        self._end: Callable[[], None] = lambda: None
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        """The beginning of all addresses."""
        return f"http://{HOST}:{self.port}"

    def start(self, app: "Starlette") -> None:
        """Answers from now on."""
        import uvicorn

        config = uvicorn.Config(
            Guard(app, self.port),
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            http="h11",
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=END_S,
        )
        server = uvicorn.Server(config)
        ready = threading.Event()

        async def serve() -> None:
            self.loop = asyncio.get_running_loop()
            self.loop.call_soon(ready.set)
            await server.serve([self._socket])

        def end() -> None:
            server.should_exit = True

        self._end = end
        self._thread = threading.Thread(target=lambda: asyncio.run(serve()), name="pages", daemon=True)
        self._thread.start()
        ready.wait()

    def close(self) -> None:
        """Answers nobody any more."""
        self._end()
        if self._thread is not None:
            self._thread.join(2 * END_S)
        self._socket.close()
