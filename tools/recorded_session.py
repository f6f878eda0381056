"""Makes the recorded session of the documentation: an asciinema cast, and an animation of it for pages.

    python tools/recorded_session.py            # writes docs/shell.cast and docs/shell.svg
    python tools/recorded_session.py --check    # says whether they are what the present airtcp gives

The commands are carried out by `airtcp shell`, so what is shown is what it prints. Only the speed of the
typing is made up; because a session depends on its inputs alone, the files are the same on every machine. The
cast has the format of asciinema, version 2 (https://docs.asciinema.org/manual/asciicast/v2/).
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
CAST, PICTURE = ROOT / "docs" / "shell.cast", ROOT / "docs" / "shell.svg"
NETWORK = """name = "first"
duration = "10 s"
[wifi.home]
stations = ["sta1", "sta2"]
[[wire]]
between = ["ap1", "h1"]
rate = "10 Mbit/s"
delay = "5 ms"
queue = "100 packets"
"""
COMMANDS = (
    "sta1 ping -c 1 h1",
    "flow sta1 h1 cubic",
    "run 3 s",
    "sta2 ping -c 1 h1",
    "ap1 tc -s qdisc show dev eth0",
    "step",
    "goto 1 s",
    "wire ap1-h1 rate 50 Mbit/s",
    "run 3 s",
    "sta2 ping -c 1 h1",
    "save session.toml",
)
TITLE = "airtcp shell first.toml"
# Seconds: between two keys, before a line is sent, after its output; between two lines of output; at the end.
KEY_S, SEND_S, READ_S, LINE_S, END_S = 0.05, 0.4, 1.1, 0.03, 4.0
COLUMNS, ROWS = 84, 24
# Of the picture: a character, a line, the margin; and a monospaced face of every system.
WIDTH, HEIGHT, MARGIN, SIZE = 8.4, 18, 14, 14
FACE = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_PROMPT = re.compile(r"\d+\.\d{6} s> ")


@dataclass(frozen=True)
class Event:
    """Something that is written to the terminal at a time."""

    at_s: float
    text: str


def printed() -> str:
    """What `airtcp shell` prints for the commands."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "first.toml").write_text(NETWORK)
        done = subprocess.run(
            [sys.executable, "-m", "airtcp", "shell", "first.toml"],
            cwd=folder,
            input="\n".join(COMMANDS),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return done.stdout


def events(output: str) -> Iterator[Event]:
    """The output as someone would see it who types the commands."""
    at_s = 0.5
    for line in output.splitlines():
        prompt = _PROMPT.match(line)
        if not prompt:
            at_s += LINE_S
            yield Event(at_s, line[:COLUMNS] + "\r\n")
            continue
        at_s += READ_S
        yield Event(at_s, prompt.group())
        at_s += SEND_S
        for key in line[prompt.end() :]:
            at_s += KEY_S
            yield Event(at_s, key)
        at_s += SEND_S
        yield Event(at_s, "\r\n")


def cast(shown: list[Event]) -> str:
    """The events as a cast."""
    head = {"version": 2, "width": COLUMNS, "height": ROWS, "title": TITLE}
    lines = [json.dumps(head), *(json.dumps([round(event.at_s, 3), "o", event.text]) for event in shown)]
    return "\n".join(lines) + "\n"


@dataclass
class Piece:
    """Text of a line that appears at once."""

    at_s: float
    row: int
    column: int
    text: str


def pieces(shown: list[Event]) -> list[Piece]:
    """Where on an endless page the events are written."""
    row = column = 0
    found = []
    for event in shown:
        text = event.text.removesuffix("\r\n")
        if text:
            found.append(Piece(event.at_s, row, column, text))
            column += len(text)
        if text != event.text:
            row, column = row + 1, 0
    return found


def svg(shown: list[Event]) -> str:
    """The events as an animation that begins again at its end."""
    length_s = shown[-1].at_s + END_S
    every = pieces(shown)
    body = "\n".join(_text(piece, length_s) for piece in every)
    width, height = COLUMNS * WIDTH + 2 * MARGIN, ROWS * HEIGHT + 2 * MARGIN
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" \
viewBox="0 0 {width:g} {height:g}" role="img">
<title>{escape(TITLE)}</title>
<rect width="100%" height="100%" rx="8" fill="#1b1f27"/>
<svg x="{MARGIN}" y="{MARGIN}" width="{COLUMNS * WIDTH:g}" height="{ROWS * HEIGHT}">
<g font-family="{FACE}" font-size="{SIZE}" fill="#c8ccd4">
{_scrolling(every, length_s)}
{body}
</g>
</svg>
</svg>
"""


def _text(piece: Piece, length_s: float) -> str:
    x, y = piece.column * WIDTH, (piece.row + 1) * HEIGHT - 4
    colour = ' fill="#7fc97f"' if _PROMPT.fullmatch(piece.text) else ""
    typed = ' fill="#ffffff"' if len(piece.text) == 1 and piece.column else ""
    # Every face has the width for which the columns are counted.
    length = f'textLength="{len(piece.text.rstrip() or " ") * WIDTH:g}" lengthAdjust="spacingAndGlyphs"'
    return (
        f'<text x="{x:g}" y="{y:g}" {length}{colour or typed}>{_unbroken(piece.text)}'
        f'<animate attributeName="opacity" values="0;1" keyTimes="0;{piece.at_s / length_s:.5f}" '
        f'calcMode="discrete" dur="{length_s:.3f}s" repeatCount="indefinite"/></text>'
    )


def _unbroken(text: str) -> str:
    """Text with its spaces, of which SVG shows one of several."""
    return escape(text).replace(" ", "\u00a0")


def _scrolling(every: list[Piece], length_s: float) -> str:
    """The page moves up when a line is written below its window."""
    moves = {0.0: 0}
    for piece in every:
        moves[piece.at_s] = max(0, piece.row + 1 - ROWS)
    times = [at_s for at_s in moves if at_s == 0 or moves[at_s] != _before(moves, at_s)]
    values = ";".join(f"0 {-moves[at_s] * HEIGHT}" for at_s in times)
    keys = ";".join(f"{at_s / length_s:.5f}" for at_s in times)
    return (
        f'<animateTransform attributeName="transform" type="translate" values="{values}" keyTimes="{keys}" '
        f'calcMode="discrete" dur="{length_s:.3f}s" repeatCount="indefinite"/>'
    )


def _before(moves: dict[float, int], at_s: float) -> int:
    return moves[max(other for other in moves if other < at_s)]


def main() -> int:
    """Writes the files, or compares them."""
    shown = list(events(printed()))
    made = {CAST: cast(shown), PICTURE: svg(shown)}
    if "--check" not in sys.argv[1:]:
        for path, text in made.items():
            path.write_text(text, encoding="utf-8")
        return 0
    old = [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text]
    if old:
        print(f"{', '.join(old)}: not what airtcp prints now; run python tools/recorded_session.py")
    return int(bool(old))


if __name__ == "__main__":
    sys.exit(main())
