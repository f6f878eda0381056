"""Traces of wires in scenarios: what the plan says, and what is refused."""

import pytest
from airtcp.scenario.compile.compiler import compile_file
from airtcp.scenario.errors import ScenarioError

HEAD = """
name = "x"
duration = "2 s"
[[ping]]
from = "h1"
to = "h2"
[[wire]]
between = ["h1", "h2"]
rate = "10 Mbit/s"
delay = "5 ms"
"""
TRACE = 'trace = { file = "t.csv" }\n'
CSV = "time_s,rate_mbps,delay_ms,loss\n0,12.5,10,\n0.2,0,10,\n0.35,8,40,0.02\n1,,,\n"


def egresses(folder, text=HEAD + TRACE, csv=CSV, **more):
    """Those of h1 and h2."""
    for name, content in {"t.csv": csv, **{f"{name}.csv": content for name, content in more.items()}}.items():
        (folder / name).write_text(content)
    (folder / "s.toml").write_text(text)
    return [node["interfaces"][0]["egress"] for node in compile_file(folder / "s.toml")["nodes"]]


def refusal(folder, *arguments):
    with pytest.raises(ScenarioError) as caught:
        egresses(folder, *arguments)
    return str(caught.value)


def point(time_ns, rate_bps=None, delay_ns=None, loss=None):
    return {"time_ns": time_ns, "rate_bps": rate_bps, "delay_ns": delay_ns, "loss": loss}


POINTS = [
    point(0, 12_500_000, 10_000_000),
    point(200_000_000, 0, 10_000_000),
    point(350_000_000, 8_000_000, 40_000_000, 0.02),
    point(1_000_000_000),
]


def test_a_trace_holds_in_both_directions(tmp_path):
    for egress in egresses(tmp_path):
        assert egress["trace"] == {"repeat": False, "points": POINTS}
        assert (egress["rate_bps"], egress["delay_ns"]) == (10_000_000, 5_000_000)


def test_a_direction_has_its_own(tmp_path):
    text = HEAD + TRACE + '[wire.towards.h1]\ntrace = { file = "back.csv", repeat = true }\n'
    there, back = egresses(tmp_path, text, back="time_s,delay_ms\n0,3\n2,4\n")
    assert there["trace"] == {"repeat": False, "points": POINTS}
    assert back["trace"] == {
        "repeat": True,
        "points": [point(0, None, 3_000_000), point(2 * 10**9, None, 4_000_000)],
    }
    (there, back) = egresses(tmp_path, HEAD + "[wire.towards.h1]\n" + TRACE)
    assert there["trace"] is None
    assert back["trace"]["points"] == POINTS


def test_rows_that_change_nothing_are_left_out(tmp_path):
    csv = "time_s,rate_mbps\n0,5\n1,5\n2,5\n3,6\n4,6\n"
    rates = [(0, 5_000_000), (3, 6_000_000)]
    (egress, _) = egresses(tmp_path, HEAD + TRACE, csv)
    assert [(p["time_ns"] / 1e9, p["rate_bps"]) for p in egress["trace"]["points"]] == rates
    (egress, _) = egresses(tmp_path, HEAD + 'trace = { file = "t.csv", repeat = true }\n', csv)
    assert [(p["time_ns"] / 1e9, p["rate_bps"]) for p in egress["trace"]["points"]] == [
        *rates,
        (4, 6_000_000),
    ]


@pytest.mark.parametrize(
    ("csv", "told"),
    [
        ("", "is empty. Its first line names columns: time_s, rate_mbps, delay_ms, loss"),
        ("time_s\n0\n", "needs the column time_s and one of rate_mbps, delay_ms, loss"),
        ("time_s,rate\n0,1\n", 'has an unknown column "rate". Did you mean "rate_mbps"?'),
        ("time_s,loss\n0,1.5\n", "line 2: loss 1.5 is out of range. Give 0 to 1"),
        ("time_s,rate_mbps\n0,1\n1,-1\n", "line 3: rate_mbps -1 is out of range"),
        ("time_s,rate_mbps\n0,0.0001\n", "Give 0.001 to 100000, or 0"),
        ("time_s,delay_ms\n0,1\n0,2\n", "line 3: time_s does not rise"),
        ("time_s,delay_ms\n0,nan\n", 'line 2: delay_ms is "nan"'),
        ("time_s,delay_ms\n0,1,2\n", "line 2 has 3 cells, the first line 2"),
        ("time_s,delay_ms\n1e9,1\n", "line 2: time_s 1e9 is out of range"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path, csv, told):
    said = refusal(tmp_path, HEAD + TRACE, csv)
    assert told in said
    assert "wire[0].trace.file" in said


def test_what_contradicts_itself_is_refused(tmp_path):
    assert "there is no file" in refusal(tmp_path, HEAD + 'trace = { file = "other.csv" }\n')
    repeated = HEAD + 'trace = { file = "t.csv", repeat = true }\n'
    assert "wire[0].trace.repeat" in refusal(tmp_path, repeated, "time_s,loss\n0,0.1\n")
    bare = HEAD.replace('rate = "10 Mbit/s"', 'rate = "unlimited"\nqueue = "none"')
    assert "a wire with a rate needs a queue" in refusal(tmp_path, bare + TRACE)
    assert egresses(tmp_path, bare + TRACE, "time_s,loss\n0,0.1\n")[0]["queue"] == {"kind": "none"}
