"""An endpoint of QUIC's interop runner with aioquic: what its environment asks for, client or server.

The contract (github.com/quic-interop/quic-interop-runner, quic.md): ROLE, TESTCASE, REQUESTS; the server serves
WWW at port 443 with CERTS/cert.pem and CERTS/priv.key, the client stores in DOWNLOADS; qlogs go to QLOGDIR. Exit
status 127: the test case is not supported.
"""

import asyncio
import os
import ssl
import sys
from pathlib import Path
from urllib.parse import urlparse

from aioquic.asyncio import QuicConnectionProtocol, connect, serve
from aioquic.h0.connection import H0_ALPN, H0Connection
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated
from aioquic.quic.logger import QuicFileLogger
from aioquic.tls import CipherSuite

TESTCASE = os.environ["TESTCASE"]
WWW, DOWNLOADS, CERTS = (
    Path(os.environ.get(name, f"/{name.lower()}")) for name in ("WWW", "DOWNLOADS", "CERTS")
)
SUPPORTED = (
    *("handshake", "transfer", "chacha20", "keyupdate", "retry", "resumption", "zerortt"),
    *("multiconnect", "http3"),
)
PORT, NOT_SUPPORTED = 443, 127


class Protocol(QuicConnectionProtocol):
    """HTTP/0.9 or HTTP/3 over one connection, at either end."""

    http = None

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.start(event.alpn_protocol)
        if self.http is not None:
            for each in self.http.handle_event(event):
                self.http_event_received(each)

    def start(self, protocol):
        if self.http is None:
            self.http = H3Connection(self._quic) if protocol in H3_ALPN else H0Connection(self._quic)


class Server(Protocol):
    def http_event_received(self, event):
        if isinstance(event, HeadersReceived):
            path = dict(event.headers)[b":path"].decode().lstrip("/")
            self.http.send_headers(event.stream_id, [(b":status", b"200")])
            self.http.send_data(event.stream_id, (WWW / Path(path).name).read_bytes(), end_stream=True)
            self.transmit()


class Client(Protocol):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.answers = {}

    async def get(self, url):
        self.start(self._quic.configuration.alpn_protocols[0])
        stream = self._quic.get_next_available_stream_id()
        parsed = urlparse(url)
        self.answers[stream] = (b"", done := asyncio.get_running_loop().create_future())
        pseudo = {"method": "GET", "scheme": "https", "authority": parsed.netloc, "path": parsed.path}
        headers = [(f":{name}".encode(), value.encode()) for name, value in pseudo.items()]
        self.http.send_headers(stream, headers, end_stream=True)
        self.transmit()
        (DOWNLOADS / Path(parsed.path).name).write_bytes(await done)

    def http_event_received(self, event):
        content, done = self.answers[event.stream_id]
        if isinstance(event, DataReceived):
            content += event.data
            self.answers[event.stream_id] = (content, done)
        if event.stream_ended:
            done.set_result(content)


def configuration(is_client):
    made = QuicConfiguration(
        is_client=is_client,
        alpn_protocols=H3_ALPN if TESTCASE == "http3" else H0_ALPN,
        quic_logger=QuicFileLogger(os.environ["QLOGDIR"]),
        verify_mode=ssl.CERT_NONE,
    )
    if TESTCASE == "chacha20":
        made.cipher_suites = [CipherSuite.CHACHA20_POLY1305_SHA256]
    if TESTCASE == "transfer" and is_client:
        # Small enough that both windows must grow.
        made.max_data = made.max_stream_data = 256 << 10
    return made


async def server():
    own, tickets = configuration(is_client=False), {}
    own.load_cert_chain(CERTS / "cert.pem", CERTS / "priv.key")
    await serve(
        "0.0.0.0",
        PORT,
        configuration=own,
        create_protocol=Server,
        retry=TESTCASE == "retry",
        session_ticket_fetcher=lambda label: tickets.pop(label, None),
        session_ticket_handler=lambda ticket: tickets.update({ticket.ticket: ticket}),
    )
    await asyncio.Event().wait()


async def fetch(own, urls, tickets):
    """The files of these URLs by one connection, at the same time."""
    early = own.session_ticket is not None and TESTCASE == "zerortt"
    host, port = urlparse(urls[0]).hostname, urlparse(urls[0]).port or PORT
    async with connect(
        host,
        port,
        configuration=own,
        create_protocol=Client,
        session_ticket_handler=tickets.append,
        wait_connected=not early,
    ) as connection:
        if TESTCASE == "keyupdate":
            await connection.ping()
            connection.request_key_update()
        await asyncio.gather(*(connection.get(url) for url in urls))


async def client(urls):
    tickets = []
    if TESTCASE in ("resumption", "zerortt"):
        await fetch(configuration(is_client=True), urls[:1], tickets)
        again = configuration(is_client=True)
        again.session_ticket = tickets[0]
        await fetch(again, urls[1:], tickets)
    elif TESTCASE == "multiconnect":
        for url in urls:
            await fetch(configuration(is_client=True), [url], tickets)
    else:
        await fetch(configuration(is_client=True), urls, tickets)


if TESTCASE not in SUPPORTED:
    sys.exit(NOT_SUPPORTED)
asyncio.run(server() if os.environ["ROLE"] == "server" else client(os.environ["REQUESTS"].split()))
