"""Closed sets that a scenario chooses from: congestion controls and queueing disciplines."""

import difflib
from collections.abc import Collection, Iterable

# Names as in `net/ipv4/tcp_available_congestion_control` of the kernel airtcp builds (net/ipv4/tcp_*.c).
CONGESTION_CONTROLS = (
    "reno", "bic", "cubic", "cdg", "bbr", "westwood", "highspeed", "hybla", "htcp",
    "illinois", "lp", "nv", "scalable", "vegas", "veno", "yeah", "dctcp",
)  # fmt: skip

# Names as in `tc qdisc` (net/sched/sch_*.c of the same kernel).
QDISCS = (
    "netem", "tbf", "htb", "fq", "fq_codel", "codel", "cake", "pie", "fq_pie", "red", "sfq", "pfifo", "bfifo",
    "pfifo_fast", "prio", "drr",
)  # fmt: skip


def suggestion(word: str, known: Iterable[str]) -> str:
    """`did you mean ...?` when a known word is near, else nothing."""
    words = list(known)
    same = [own for own in words if own.lower() == word.lower()]
    near = same or difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    return f'did you mean "{near[0]}"?' if near else ""


def remedy_for(word: str, known: Collection[str]) -> str:
    """What to write in place of a word that is not known: the near one, else what there is."""
    hint = suggestion(word, known)
    return f"D{hint[1:]}" if hint else f"Known: {', '.join(known) or 'none'}"
