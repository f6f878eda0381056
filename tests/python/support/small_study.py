"""A small study with made-up numbers in place of runs."""

from pathlib import Path

import numpy as np
from airtcp.metrics.survival import Sample
from airtcp.studies.cases import cases
from airtcp.studies.measuring import Measured
from airtcp.studies.results import Results
from airtcp.studies.study import Study, read_study

STUDY = """
name = "small"
title = "A small study"
paper = "Nobody: Nothing (2020)"
[factor.cca]
name = "CCA"
key = "flow[*].cca"
labels = { reno = "Reno", vegas = "Vegas" }
[factor.queue]
name = "queue"
key = "wire[0].queue"
unit = "packets"
[part.main]
section = "4"
title = "All of it"
scenario = "base.toml"
vary = { cca = ["reno", "cubic", "vegas"], queue = ["20 packets", "100 packets"] }
quick.vary = { cca = ["reno"] }
quick.set = { duration = "5 s" }
[part.extra]
on_request = true
title = "More"
scenario = "base.toml"
vary = { cca = ["bbr"], queue = ["20 packets"] }
[metric.kilobytes]
of = "throughput"
unit = "KB/s"
"""

BASE = """
name = "base"
duration = "10 s"
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
rate = "10 Mbit/s"
[[flow]]
from = "sta1"
to = "h1"
"""


def small_study(folder: Path, more: str = "", claims: str = "") -> Study:
    """The study, with more keys and claims."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(STUDY + more, encoding="utf-8")
    (folder / "base.toml").write_text(BASE, encoding="utf-8")
    if claims:
        (folder / "claims.toml").write_text(claims, encoding="utf-8")
    return read_study(folder)


def made_up(study: Study, number, seeds=(1,), doubtful=()) -> Results:
    """Results in which every metric of a case is `number(levels, seed)`."""
    ends, measured = [], {}
    for case in cases(study, seeds):
        folder = Path(f"runs/{case.part}-{'-'.join(map(str, case.key()))}-{case.seed}".replace(" ", ""))
        value = number(case.levels, case.seed)
        names = [
            "rtt",
            "rtt_least",
            "rtt_most",
            "idle_rtt",
            "throughput",
            "throughput_least",
            "throughput_most",
        ]
        names.append("expected_goodput")
        one = Measured(folder, dict.fromkeys(names, value))
        one.values = {"jain": {"": Sample(np.array([value, value / 2]))}}
        one.lines = {"cwnd": {"sta1-h1": (np.array([0.0, 1.0]), np.array([value, value]))}}
        one.out_of_control = {"sta1-h1": "application"} if case.levels["cca"] in doubtful else {}
        ends.append((case, folder))
        measured[folder] = one
    return Results(study, ends, measured)
