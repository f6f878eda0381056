"""A server that sends a file of any length over QUIC, and a client that asks for one.

Usage: transfer.py server | transfer.py client HOST BYTES SECONDS. The client closes the connection when it has all,
or when the time is over; both then log what their QUIC did (qlog) to $QLOGDIR.
"""

import asyncio
import contextlib
import os
import ssl
import sys
import time

from aioquic.asyncio import connect, serve
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.logger import QuicFileLogger

CONGESTION_CONTROL = os.environ.get("CONGESTION_CONTROL", "cubic")
# What the receiver lets be under way: more than any queue of these scenarios holds.
WINDOW = 16 << 20
PORT = 4433


def configuration(is_client):
    return QuicConfiguration(
        is_client=is_client,
        congestion_control_algorithm=CONGESTION_CONTROL,
        max_data=WINDOW,
        max_stream_data=WINDOW,
        quic_logger=QuicFileLogger(os.environ["QLOGDIR"]),
        verify_mode=ssl.CERT_NONE,
    )


def answer(reader, writer):
    async def send():
        writer.write(bytes(int(await reader.readline())))
        writer.write_eof()

    asyncio.get_running_loop().create_task(send())


async def server():
    own = configuration(is_client=False)
    own.load_cert_chain("/tmp/cert.pem", "/tmp/key.pem")
    await serve("0.0.0.0", PORT, configuration=own, stream_handler=answer)
    await asyncio.Event().wait()


async def client(host, size, most_s):
    async with connect(host, PORT, configuration=configuration(is_client=True)) as connection:
        reader, writer = await connection.create_stream()
        begin, received = time.monotonic(), 0
        writer.write(f"{size}\n".encode())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(most_s):
                while part := await reader.read(1 << 16):
                    received += len(part)
        seconds = time.monotonic() - begin
        print(f"{received} bytes in {seconds:.3f} s, {received * 8e-6 / seconds:.2f} Mbit/s", flush=True)


asyncio.run(
    server() if sys.argv[1] == "server" else client(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
)
