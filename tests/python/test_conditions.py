"""The words of `until`: what they order of a session, and what is wrong with others."""

import tomllib
from typing import Any

import pytest
from airtcp.errors import AirtcpError
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.keys.model import Scenario
from airtcp.sessions.condition import ConditionReader, split_limit, tokens
from airtcp.sessions.happening import happened, stamp
from airtcp.wifi.ppdu import PPDU_KINDS, PPDU_OUTCOMES

NETWORK = """
name = "words"
duration = "10 s"
[wifi.home]
stations = ["sta1"]
[wifi.roaming]
mac = "linux"
stations = ["sta2"]
[[wire]]
between = ["ap1", "h1"]
[[wire]]
between = ["ap2", "h1"]
[[flow]]
name = "upload"
from = "sta1"
to = "h1"
"""
PLAN = compile_scenario(Scenario.model_validate(tomllib.loads(NETWORK)))
NODES = [node["name"] for node in PLAN["nodes"]]
NICS = [nic["node"] for nic in PLAN["air"]["nics"]]
ANY = {"numbers": None, "from": None}


def read(text: str) -> Any:
    return ConditionReader(PLAN, {"upload": [0], "sta1-h1 #2": [3]}).read(tokens(text))


def value(column: str, comparison: str, than: float, of: Any = ANY) -> dict[str, Any]:
    return {"kind": "flow", "of": of, "value": {"column": column, "comparison": comparison, "than": than}}


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("cwnd < 10", value("cwnd", "less", 10)),
        ("cwnd<10", value("cwnd", "less", 10)),
        ("cwnd <= 10 segments", value("cwnd", "at_most", 10)),
        ("cwnd of upload = 2", value("cwnd", "equal", 2, {"numbers": [0], "from": None})),
        ('cwnd of "sta1-h1 #2" = 2', value("cwnd", "equal", 2, {"numbers": [3], "from": None})),
        ("cwnd of h1 != 2", value("cwnd", "other", 2, {"numbers": None, "from": NODES.index("h1")})),
        ("srtt > 100 ms", value("srtt_us", "greater", 100_000)),
        ("srtt_us >= 100000", value("srtt_us", "at_least", 100_000)),
        ("pacing_limited > 1 us", value("pacing_limited_ns", "greater", 1000)),
        ("delivery_rate < 5 Mbit/s", value("delivery_rate_bps", "less", 5e6)),
        ("bytes_acked > 1 MB", value("bytes_acked", "greater", 1e6)),
        ("state = loss", value("ca_state", "equal", 4)),
        ("state = Recovery", value("ca_state", "equal", 3)),
        ("retransmit", {"kind": "retransmission", "of": ANY}),
        ("loss", {"kind": "loss", "of": None, "node": None}),
        (
            "loss of upload at ap1",
            {"kind": "loss", "of": {"numbers": [0], "from": None}, "node": NODES.index("ap1")},
        ),
        ("roam of sta2", {"kind": "roam", "nic": NICS.index("sta2")}),
        ("roam", {"kind": "roam", "nic": None}),
        (
            "frame from sta1 to ap1 of kind ack",
            {
                "kind": "frame",
                "from": NICS.index("sta1"),
                "to": NICS.index("ap1"),
                "ppdu": PPDU_KINDS.index("Ack"),
                "outcome": None,
            },
        ),
        (
            "frame of data collision",
            {
                "kind": "frame",
                "from": None,
                "to": None,
                "ppdu": PPDU_KINDS.index("data"),
                "outcome": PPDU_OUTCOMES.index("collision"),
            },
        ),
    ],
)
def test_words_are_an_order(text: str, order: Any) -> None:
    assert read(text) == order


@pytest.mark.parametrize(
    ("text", "column", "than", "place"),
    [
        ("backlog of ap1 > 100", "backlog_packets", 100, (NODES.index("ap1"), None)),
        ("backlog of ap1:eth0 > 100 kB", "backlog_bytes", 100_000, (NODES.index("ap1"), 1)),
        ("backlog > 5 packets", "backlog_packets", 5, (None, None)),
        ("marks > 0", "marks", 0, (None, None)),
    ],
)
def test_queues_are_named_by_node_and_interface(
    text: str, column: str, than: float, place: tuple[int | None, int | None]
) -> None:
    found = read(text)
    names = [one["name"] for one in PLAN["nodes"][NODES.index("ap1")]["interfaces"]]
    expected = (place[0], None if place[1] is None else names.index("eth0"))
    assert (found["kind"], found["node"], found["interface"]) == ("queue", *expected)
    assert found["value"] == {"column": column, "comparison": "greater", "than": than}


def test_and_binds_closer_than_or() -> None:
    found = read("loss or retransmit and cwnd < 10")
    assert found["kind"] == "any"
    assert [part["kind"] for part in found["of"]] == ["loss", "all"]
    assert [part["kind"] for part in found["of"][1]["of"]] == ["retransmission", "flow"]


def test_the_limit_follows_the_condition() -> None:
    assert split_limit(["loss", "of", "upload", "within", "10", "s"]) == (["loss", "of", "upload"], "10 s")
    assert split_limit(["loss"]) == (["loss"], None)
    with pytest.raises(AirtcpError, match="within: has no length"):
        split_limit(["loss", "within"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("los", 'los: is nothing to wait for. Did you mean "loss"?'),
        ("drop", 'drop: is nothing to wait for. Did you mean "loss"?'),
        ("cwdn < 10", 'cwdn: is nothing to wait for. Did you mean "cwnd"?'),
        ("xyzzy", "xyzzy: is nothing to wait for. Known: loss, retransmit, roam, frame, and columns"),
        ("cwnd", "cwnd: is compared with nothing. Write for example: cwnd > 10."),
        ("state", "state: is compared with nothing. Write for example: state = recovery."),
        ("srtt >", "srtt: is compared with nothing. Write for example: srtt > "),
        ("srtt > 100", "100: has no unit. Write for example: srtt >"),
        ("srtt > 100 msec", 'is not a unit of time; did you mean "100 ms"'),
        ("state = lost", "lost: can't be compared with it. Write one of open, disorder, cwr"),
        ("cwnd < ten", "ten: can't be compared with it. Write a number after cwnd."),
        ("cwnd of uplaod < 10", 'uplaod: is neither a flow nor a node. Did you mean "upload"?'),
        ("loss of", "of: names nothing. Write a name after of."),
        ("loss from ap1", 'from: is no word after "loss"'),
        ("loss at ap9", 'ap9: is no node. Did you mean "ap'),
        ("loss of upload of upload", "of: stands twice"),
        ("frame from h1", "h1 has no radio"),
        ("frame of becon", 'becon: is no kind of frame. Did you mean "beacon"?'),
        ("frame form sta1", 'form: is no word after "frame". Did you mean "from"?'),
        ("roam of sta1", "waits for ever: stations of airtcp's own MAC stay with their access point"),
        ("backlog of ap1:eth9 > 5", 'eth9: is no interface of ap1. Did you mean "eth0"?'),
        ("loss and", "and: joins nothing"),
        ("", "until: says nothing to wait for. Write for example: until loss."),
    ],
)
def test_what_is_wrong_is_said_where_and_how_to_correct_it(text: str, message: str) -> None:
    with pytest.raises(AirtcpError) as error:
        read(text)
    assert message in str(error.value)


def test_what_happened_is_a_sentence() -> None:
    packet: Any = {"protocol": 6, "source": "10.0.0.1", "destination": "10.0.0.2", "ports": [1, 2]}
    loss: Any = {
        "what": "loss",
        "node": NODES.index("ap1"),
        "interface": 0,
        "by": "queue",
        "detail": "fq_codel",
        "flow": 0,
        "from": NODES.index("sta1"),
        "acknowledgment": False,
        "packet": packet,
        "packets": 1,
    }
    interface = PLAN["nodes"][NODES.index("ap1")]["interfaces"][0]["name"]
    said = happened(PLAN, lambda _: "upload", 12_345_678_901, [loss])
    assert str(said) == f"12.345678901 s  loss: ap1 {interface} fq_codel dropped a packet of upload"
    assert (said.kind, said.node, said.flow, said.by) == ("loss", "ap1", "upload", "queue")
    unknown = {**loss, "flow": None, "by": "wire", "packets": 2}
    text = happened(PLAN, lambda _: "", 0, [unknown]).text
    assert text == f"loss: the wire of ap1 {interface} lost 2 packets (TCP, 10.0.0.1:1 to 10.0.0.2:2)"
    value: Any = {"what": "flow", "flow": 0, "node": None, "column": "ca_state", "value": 3.0}
    both = happened(PLAN, lambda _: "upload", 0, [value, loss])
    assert (both.value, both.also[0].kind) == (3.0, "loss")
    assert str(both).startswith("0.000000000 s  ca_state of upload is recovery; loss: ")


def test_instants_are_exact() -> None:
    assert stamp(86_399_999_999_999) == "86399.999999999 s"
