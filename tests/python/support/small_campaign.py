"""A small campaign file with its scenario."""

from pathlib import Path

from support.small_study import BASE

CAMPAIGN = """
name = "small"
title = "A small campaign"
scenario = "base.toml"
set = { duration = "2 s", "wire[0].delay" = "10 ms" }
metrics = ["throughput", "rtt"]

[factor.cca]
key = "flow[*].cca"
values = ["reno", "cubic"]

[factor.queue]
key = "wire[0].queue"
values = ["20 packets", "100 packets"]

[[figure]]
id = "rtt"
title = "RTT"
kind = "bars"
x = "queue"
series = ["cca"]
y = "rtt"
label = "RTT [ms]"
"""
PING = '[[ping]]\nfrom = "sta1"\nto = "h1"\n'


def write_campaign(folder: Path, text: str = CAMPAIGN) -> Path:
    """The campaign's file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "base.toml").write_text(BASE + PING, encoding="utf-8")
    file = folder / "small.toml"
    file.write_text(text, encoding="utf-8")
    return file
