"""Closed sets that a scenario chooses from: congestion controls and queueing disciplines."""

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
