"""The command `watch`: a live table of the network while time goes on.

It reads what the observers of the run have recorded, where the clock stands for a look; so the run is the
one that it would be without.
"""

import sys
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from airtcp.errors import AirtcpError
from airtcp.plans.length import SESSION_NS
from airtcp.scenario.compile.session_plan import with_session
from airtcp.sessions.job import Chunk, Job
from airtcp.sessions.lengths import nanoseconds
from airtcp.sessions.moment import Moment, Moments
from airtcp.sessions.session import Session
from airtcp.shell.shell import Command, Shell, Words
from airtcp.shell.time_commands import length

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

# Real time between two pictures of a terminal, and virtual time between plain rows.
REDRAW_S = 0.25
ROWS_NS = 10**9
DASH = "-"


def _watch(shell: Shell, words: list[str]) -> None:
    session = shell.lab.session
    until_ns = session.now_ns + nanoseconds(length(words)) if words else SESSION_NS - 1
    live = sys.stdin.isatty() and sys.stdout.isatty()
    if not live and not words:
        raise AirtcpError("needs a length where it is no terminal", "watch", "Write for example: watch 5 s")
    plan = with_session(shell.lab.plan, session.inputs)
    with closing(Moments(session.folder, plan)) as moments:
        (_redraw if live else _rows)(shell, moments, until_ns)


def _look(session: Session, moments: Moments) -> Moment:
    flushed = session.flush()
    return moments.now(flushed.at_ns, flushed.signals_dbm)


def _rows(shell: Shell, moments: Moments, until_ns: int) -> None:
    """Plain rows at intervals of virtual time."""
    session = shell.lab.session
    while session.now_ns < until_ns:
        session.go_to(min(until_ns, session.now_ns + ROWS_NS))
        for line in lines(_look(session, moments)):
            shell.say(line)


def lines(moment: Moment) -> Iterator[str]:
    """A moment as text, a line for each flow, radio and queue."""
    at = f"{moment.at_ns / 1e9:.3f} s"
    for name, cca, goodput, srtt, cwnd, retransmitted in _flow_cells(moment):
        yield (
            f"{at}  flow {name} {cca}: {goodput} Mbit/s, srtt {srtt} ms, cwnd {cwnd}, "
            f"retransmitted {retransmitted}"
        )
    for node, signal, rate, airtime, queued, retries in _radio_cells(moment):
        yield (
            f"{at}  radio {node}: signal {signal} dBm, {rate} Mbit/s, airtime {airtime} %, queued {queued}, "
            f"retries {retries}"
        )
    for name, backlog, drops in _queue_cells(moment):
        yield f"{at}  queue {name}: backlog {backlog}, dropped {drops}"


def _number(value: float | None, scale: float = 1.0, digits: int = 1) -> str:
    return DASH if value is None else f"{value * scale:.{digits}f}"


def _flow_cells(moment: Moment) -> list[list[str]]:
    return [
        [
            flow.name,
            flow.cca,
            _number(flow.goodput_bps, 1e-6, 2),
            _number(flow.srtt_s, 1e3),
            _number(flow.cwnd, digits=0),
            _number(flow.retransmitted, digits=0),
        ]
        for flow in moment.flows
    ]


def _radio_cells(moment: Moment) -> list[list[str]]:
    return [
        [
            radio.node,
            _number(radio.signal_dbm),
            _number(radio.rate_bps or None, 1e-6),
            _number(radio.airtime, 100),
            str(radio.queued),
            str(radio.retries),
        ]
        for radio in moment.radios
    ]


def _queue_cells(moment: Moment) -> list[list[str]]:
    return [
        [f"{queue.node}-{queue.interface} {queue.handle:x}", str(queue.backlog), str(queue.drops)]
        for queue in moment.queues
    ]


def _redraw(shell: Shell, moments: Moments, until_ns: int) -> None:
    """A picture that is drawn again in its place, until the time has come or Ctrl-C."""
    from rich.console import Console
    from rich.live import Live

    session, console = shell.lab.session, Console()
    heard, session.on_output = session.on_output, lambda job, chunk: _print(console, job, chunk)
    try:
        with Live(console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False) as live:
            session.let_go(until_ns)
            while not session.stands:
                try:
                    session.hear(REDRAW_S)
                    live.update(_picture(_look(session, moments)), refresh=True)
                except KeyboardInterrupt:
                    session.order_stop()
    finally:
        session.on_output = heard


def _print(console: "Console", job: Job, chunk: Chunk) -> None:
    """What jobs write stands above the picture."""
    console.print(
        f"[{job.number}] {chunk.data.decode(errors='replace')}", markup=False, highlight=False, end=""
    )


def _picture(moment: Moment) -> "Table":
    from rich import box
    from rich.table import Table

    whole = Table.grid()
    whole.add_row(f"{moment.at_ns / 1e9:.3f} s   (Ctrl-C stops the clock)")
    parts = (
        (("flow", "CCA", "Mbit/s", "srtt ms", "cwnd", "retransmitted"), _flow_cells(moment)),
        (
            ("radio", "signal dBm", "rate Mbit/s", "airtime %", "queued", "retries"),
            _radio_cells(moment),
        ),
        (("queue", "backlog", "dropped"), _queue_cells(moment)),
    )
    for head, rows in parts:
        if not rows:
            continue
        table = Table(box=box.SIMPLE_HEAD)
        for name in head:
            table.add_column(name, justify="left" if name in ("flow", "CCA", "radio", "queue") else "right")
        for row in rows:
            table.add_row(*row)
        whole.add_row(table)
    return whole


COMMANDS = (
    Command(
        "watch",
        "[LENGTH]",
        "Let time pass, and show flows, radios and queues as it does.",
        _watch,
        Words.ALLOWED,
    ),
)
