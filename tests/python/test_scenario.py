"""Scenario files: what they mean, and every way in which they can be wrong."""

import json
from pathlib import Path

import pytest
from airtcp.scenario.compile.compiler import compile_any_file, compile_file, plan_text
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reference.page import scenario_reference
from airtcp.studies.cases import Case, Plans
from airtcp.studies.known_studies import study_folder
from airtcp.studies.study import read_study
from support.golden_plans import BASE as BASE_PLAN
from support.golden_plans import NAMES, check_golden_plan, difference, differing, golden_plan, patched, same
from support.wifi_scenarios import plan_of, refused

SCENARIOS = Path(__file__).parent / "scenarios"
ROOT = Path(__file__).parents[2]

BASE = """
name = "x"
duration = "10 s"
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
"""
FLOW = '[[flow]]\nfrom = "sta1"\nto = "h1"\n'


@pytest.mark.parametrize("file", sorted(SCENARIOS.glob("*.toml")), ids=lambda file: file.stem)
def test_scenarios_make_their_golden_plans(file):
    plan = compile_any_file(file)
    check_golden_plan(file.stem, plan, plan_text(plan))


@pytest.mark.parametrize("name", NAMES)
def test_differences_from_the_base_lose_nothing(name):
    base, plan = golden_plan(BASE_PLAN), golden_plan(name)
    assert same(patched(base, difference(base, plan)), plan)


def test_every_changed_value_of_a_golden_plan_is_named():
    plan = golden_plan("linux")
    changed = json.loads(json.dumps(plan))
    changed["air"]["nics"][1]["node"] = "other"
    changed["seed"] = float(plan["seed"])
    del changed["flows"][0]["port"]
    paths = [line.split(": ")[0].strip() for line in differing(plan, changed)]
    assert paths == ["seed", "air.nics[1].node", "flows[0].port"]


def study_plan(cca, queue, clients="1", seed=1):
    levels = {"clients": clients, "cca": cca, "queue": f"{queue} packets"}
    return Plans(read_study(study_folder("aoyagi2023"))).plan(Case("4.2", levels, seed))


@pytest.mark.parametrize("clients", ["1", "2"])
def test_the_study_makes_the_golden_plan(clients):
    plan = study_plan("vegas", 20, clients)
    check_golden_plan(f"aoyagi2023-4.2-{clients}", plan, plan_text(plan))


def test_the_study_varies_only_what_it_says():
    first, second = (study_plan("bbr", queue, seed=7) for queue in (20, 100))
    assert first["seed"] == 7
    queues = [
        (node["name"], interface["name"])
        for plan_node, node in zip(first["nodes"], second["nodes"], strict=True)
        for mine, interface in zip(plan_node["interfaces"], node["interfaces"], strict=True)
        if mine != interface
    ]
    assert queues == [("s1", "eth1"), ("s2", "eth0")]
    assert [flow["congestion_control"] for flow in first["flows"]] == ["bbr"]


def test_the_reference_is_up_to_date():
    text = (ROOT / "docs" / "reference" / "scenario.md").read_text(encoding="utf-8")
    assert text == scenario_reference(), (
        "run: python -m airtcp.scenario.reference > docs/reference/scenario.md"
    )


def test_the_example_of_the_reference_compiles():
    example = scenario_reference().partition("```toml\n")[2].partition("```")[0]
    assert plan_of(example)["flows"][0]["congestion_control"] == "cubic"


def test_another_seed(first_toml):
    assert compile_file(first_toml, {"seed": 9})["seed"] == 9


def test_each_direction_of_a_wire_may_differ():
    plan = plan_of(BASE + 'rate = "10 Mbit/s"\n[wire.towards.ap1]\nqueue = "fq_codel"\nrate = "2 Mbit/s"\n')
    nodes = {node["name"]: node for node in plan["nodes"]}
    down, up = nodes["h1"]["interfaces"][0]["egress"], nodes["ap1"]["interfaces"][1]["egress"]
    assert (down["rate_bps"], down["queue"]) == (2_000_000, {"kind": "tc", "args": ["fq_codel"]})
    assert (up["rate_bps"], up["queue"]) == (10_000_000, {"kind": "packets", "limit": 1000})


def test_a_radio_overrides_its_cell():
    plan = plan_of(
        BASE + '[wifi.home.radio.sta1]\nrate = "6 Mbit/s"\nrssi = "-70 dBm"\nqueue = "20 packets"\n'
    )
    access_point, station = plan["air"]["nics"]
    rates = [nic["rate_control"]["mode"]["rate_bps"] for nic in (access_point, station)]
    assert rates == [54_000_000, 6_000_000]
    assert plan["air"]["channel"]["propagation"] == {
        "kind": "rssi",
        "links": [{"a": 0, "b": 1, "rssi_dbm": -70.0}],
        "default_dbm": -45.0,
    }
    station_node = next(node for node in plan["nodes"] if node["name"] == "sta1")
    assert station_node["interfaces"][0]["egress"]["queue"] == {"kind": "packets", "limit": 20}


def test_free_space_loss_is_that_of_the_channel():
    text = BASE.replace("[wifi", "[channel]\npropagation = 'log_distance'\n[wifi", 1)
    propagation = plan_of(text)["air"]["channel"]["propagation"]
    # 20 log10(4 pi 2.412e9 / 299792458) by hand
    assert propagation == {
        "kind": "log_distance",
        "exponent": 3.0,
        "reference_loss_db": 40.1,
        "reference_distance_m": 1.0,
    }
    at_5_ghz = plan_of(text.replace('stations = ["sta1"]', 'stations = ["sta1"]\nstandard = "11a"'))
    assert at_5_ghz["air"]["cells"][0]["channel"]["primary_mhz"] == 5180
    assert at_5_ghz["air"]["channel"]["propagation"]["reference_loss_db"] == 46.73


def test_flows_end_by_time_length_or_amount():
    flows = plan_of(
        BASE
        + FLOW
        + "start = '1 s'\nduration = '2 s'\n"
        + FLOW
        + "stop = '20 s'\n"
        + FLOW
        + "bytes = '10 MB'\nname = 'big'\n"
        + FLOW
    )["flows"]
    assert [(flow["stop_ns"], flow["workload"]) for flow in flows] == [
        (3_000_000_000, {"kind": "bulk"}),
        (20_000_000_000, {"kind": "bulk"}),
        (10_000_000_000, {"kind": "bytes", "count": 10_000_000}),
        (10_000_000_000, {"kind": "bulk"}),
    ]
    assert [flow["name"] for flow in flows] == ["sta1-h1", "sta1-h1-2", "big", "sta1-h1-3"]
    assert [flow["port"] for flow in flows] == [5001, 5002, 5003, 5004]


ROUTED = """
name = "x"
duration = "10 s"
wire = [{ between = ["a", "r1"] }, { between = ["r1", "r2"] }, { between = ["r2", "b"] }, { between = ["a", "c"] }]
[node.r1]
kind = "router"
[node.r2]
kind = "router"
[[flow]]
from = "a"
to = "b"
"""


def test_routers_join_segments():
    plan = plan_of(ROUTED.replace(', { between = ["a", "c"] }', ""))
    nodes = {node["name"]: node for node in plan["nodes"]}
    addresses = {n: [i["addresses"][0] for i in node["interfaces"]] for n, node in nodes.items()}
    assert addresses == {
        "a": ["10.0.0.1/24"],
        "r1": ["10.0.0.2/24", "10.0.1.1/24"],
        "r2": ["10.0.1.2/24", "10.0.2.1/24"],
        "b": ["10.0.2.2/24"],
    }
    assert nodes["a"]["routes"] == [{"to": "0.0.0.0/0", "via": "10.0.0.2"}]
    assert nodes["r1"]["routes"] == [{"to": "10.0.2.0/24", "via": "10.0.1.2"}]
    assert nodes["r2"]["routes"] == [{"to": "10.0.0.0/24", "via": "10.0.1.1"}]
    assert plan["flows"][0]["address"] == "10.0.2.2"
    assert {"key": "net.ipv4.ip_forward", "value": "1"} in nodes["r1"]["sysctls"]
    assert {"key": "net.ipv4.ip_forward", "value": "1"} not in nodes["a"]["sysctls"]


def test_a_host_between_two_segments_does_not_forward():
    text = ROUTED.replace('[node.r1]\nkind = "router"', '[node.r1]\nkind = "host"')
    refused(text.replace('{ between = ["a", "c"] }', ""), "flow[0]", "can't reach", "make r1 a router")


def test_traffic_over_ipv6_gives_every_node_addresses_of_both_versions():
    plan = plan_of(BASE + FLOW.rstrip() + "\nip = 6\n")
    nodes = {node["name"]: node for node in plan["nodes"]}
    assert nodes["h1"]["interfaces"][0]["addresses"] == ["10.0.0.2/24", "fd00::2/64"]
    assert plan["flows"][0]["address"] == "fd00::2"
    settings = {each["key"]: each["value"] for each in nodes["h1"]["sysctls"]}
    assert settings["net.ipv6.conf.all.disable_ipv6"] == "0"
    assert settings["net.ipv6.conf.default.accept_dad"] == "0"
    own = '[node.h1]\naddresses = { eth0 = ["192.168.7.1/24", "2001:db8::7/64"] }\n'
    explicit = plan_of(BASE + own + FLOW)
    assert explicit["flows"][0]["address"] == "192.168.7.1"
    h1 = next(node for node in explicit["nodes"] if node["name"] == "h1")
    assert h1["interfaces"][0]["addresses"] == ["192.168.7.1/24", "2001:db8::7/64"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (BASE + '[node.h1]\naddresses = { eth0 = ["2001:db8::/64"] }\n' + FLOW, "address of a network"),
        (BASE + '[node.h1]\naddresses = { eth0 = "2001:db8::1" }\n' + FLOW, "2001:db8::2/64"),
        (
            BASE + '[node.h1]\naddresses = { eth0 = ["::1/64", "::2/64"] }\n' + FLOW,
            "several addresses of IPv6",
        ),
        (BASE + FLOW.rstrip() + "\nip = 6\n[sampling]\ndelays = true\n", "TCP over IPv4 only"),
        (BASE + FLOW.rstrip() + '\nip = 6\n[[capture]]\nnode = "h1"\nflows = "*"\n', "flows of IPv4 only"),
    ],
)
def test_what_ipv6_can_not_is_refused(text, what):
    with pytest.raises(ScenarioError) as error:
        plan_of(text)
    assert what in str(error.value)


def test_explicit_addresses():
    text = BASE + '[node.h1]\naddresses = { eth0 = "192.168.7.1/24" }\n' + FLOW
    plan = plan_of(text)
    assert plan["flows"][0]["address"] == "192.168.7.1"
    station = next(node for node in plan["nodes"] if node["name"] == "sta1")
    assert station["interfaces"][0]["addresses"] == ["192.168.7.2/24"]


def test_a_switch_has_an_address_only_if_traffic_ends_there():
    plan = plan_of(BASE + '[[ping]]\nfrom = "sta1"\nto = "ap1"\n')
    assert plan["nodes"][0]["bridges"][0]["addresses"] == ["10.0.0.1/24"]
    assert plan_of(BASE)["nodes"][0]["bridges"][0]["addresses"] == []


def test_macs_are_local_and_different():
    plan = plan_of(BASE + '[[wire]]\nbetween = ["h1", "h2"]\n')
    macs = [i["mac"] for node in plan["nodes"] for i in [*node["interfaces"], *node["bridges"]]]
    assert len(set(macs)) == len(macs)
    assert all(mac.startswith("02:00:00:00:") for mac in macs)


def test_sysctls_of_the_node_win():
    plan = plan_of(
        BASE + '[sysctl]\n"net.ipv4.tcp_ecn" = 1\n[node.sta1.sysctl]\n"net.ipv4.tcp_ecn" = 2\n',
    )
    ecn = {
        node["name"]: next(s["value"] for s in node["sysctls"] if s["key"] == "net.ipv4.tcp_ecn")
        for node in plan["nodes"]
    }
    assert ecn == {"ap1": "1", "sta1": "2", "h1": "1"}


def test_flows_and_pings_of_many():
    text = BASE.replace('["sta1"]', "3") + '[[flow]]\nfrom = "sta*"\nto = "h1"\n'
    plan = plan_of(text + '[[ping]]\nname = "p"\nfrom = "h1"\nto = ["sta1", "sta3"]\n')
    assert [(f["name"], f["from"], f["port"]) for f in plan["flows"]] == [
        ("sta1-h1", "sta1", 5001),
        ("sta2-h1", "sta2", 5002),
        ("sta3-h1", "sta3", 5003),
    ]
    assert [(p["name"], p["from"], p["to"]) for p in plan["pings"]] == [
        ("p-sta1", "h1", "sta1"),
        ("p-sta3", "h1", "sta3"),
    ]


WRONG = {
    "unknown key": ('duratoin = "1 s"\n' + BASE, "duratoin", "unknown key", 'Did you mean "duration"?'),
    "unknown key in a flow": (
        BASE + FLOW + 'ca = "reno"\n',
        "flow[0].ca",
        "unknown key",
        'Write cca = "cubic"',
    ),
    "unknown key in a radio": (
        BASE + "[wifi.home.radio.sta1]\nrsi = 1\n",
        "wifi.home.radio.sta1.rsi",
        "unknown key",
        '"rssi"',
    ),
    "python's name of a key": (
        BASE + '[[flow]]\nfrom_ = "sta1"\nto = "h1"\n',
        "flow[0].from_",
        "unknown key",
        '"from"',
    ),
    "missing": ('name = "x"\n[wifi.a]\nstations = ["s"]\n', "duration", "is missing", "Add it"),
    "negative": (BASE + 'delay = "-1 ms"\n', "wire[0].delay", "is negative"),
    "wrong unit": (BASE + 'rate = "10 ms"\n', "wire[0].rate", '"ms" is not a unit of rate'),
    "no unit": (BASE + "rate = 10\n", "wire[0].rate", "has no unit"),
    "nan": (
        BASE + "[channel]\npropagation = 'log_distance'\nexponent = nan\n",
        "channel.exponent",
        "nan is not a number",
    ),
    "huge": (BASE + 'rate = "1e9 Gbit/s"\n', "wire[0].rate", "out of range"),
    "huge seed": ("seed = -1\n" + BASE, "seed", "write at least 0"),
    "text for a number": (
        'memory_mib = "512"\n' + BASE,
        "memory_mib",
        "not a whole number",
        "Write 512, without quotes",
    ),
    "number for a name": (BASE.replace('"x"', "5"), "name", "5 is not text", 'Write "5"'),
    "empty name": (BASE.replace('"x"', '""'), "name", "empty"),
    "unknown cca": (BASE + FLOW + 'cca = "cubik"\n', "flow[0].cca", 'did you mean "cubic"? known: reno, bic'),
    "unknown qdisc": (BASE + 'queue = "fq-codel"\n', "wire[0].queue", 'did you mean "fq_codel"?'),
    "no standard": (
        BASE.replace("[[", 'standard = "n"\n[[', 1),
        "wifi.home.standard",
        'did you mean "11n"? known: 11b, 11g, 11a, 11n',
    ),
    "rate of another standard": (
        BASE.replace("[[", 'standard = "11a"\nrate = "11 Mbit/s"\n[[', 1),
        "wifi.home.rate",
        "not a rate of 11a",
        "54 Mbit/s",
    ),
    "channel": (
        BASE.replace("[[", "channel = 36\n[[", 1),
        "wifi.home.channel",
        "not a channel of 11g",
        "Known: 1, 2",
    ),
    "contention window": (BASE.replace("[[", "cw_min = 16\n[[", 1), "wifi.home.cw_min", "power of two"),
    "windows swapped": (
        BASE.replace("[[", "cw_min = 31\ncw_max = 15\n[[", 1),
        "wifi.home.cw_min",
        "larger than",
    ),
    "no stations": (BASE.replace('["sta1"]', "[]"), "wifi.home.stations", "at least one station", "Name it"),
    "station twice": (BASE.replace('["sta1"]', '["s", "s"]'), "wifi.home.stations", "appears twice"),
    "flow name twice": (
        BASE + FLOW + 'name = "f"\n' + FLOW + 'name = "f"\n',
        "flow[1].name",
        "appears twice",
    ),
    "port twice": (BASE + FLOW + "port = 9\n" + FLOW + "port = 9\n", "flow[1].port", "is already used"),
    "unknown node": (BASE + FLOW.replace("h1", "h2"), "flow[0].to", 'no node "h2"', "Known: ap1, sta1, h1"),
    "to itself": (BASE + FLOW.replace("h1", "sta1"), "flow[0].to", "itself"),
    "unconnected": (
        BASE + "[[wire]]\nbetween = ['x', 'y']\n" + FLOW.replace("h1", "y"),
        "flow[0]",
        "can't reach",
        "wire",
    ),
    "ping unconnected": (
        BASE + "[[wire]]\nbetween = ['x', 'y']\n[[ping]]\nfrom = 'x'\nto = 'h1'\n",
        "ping[0]",
        "can't reach",
    ),
    "two ends": (BASE + FLOW + 'stop = "2 s"\nbytes = "1 MB"\n', "flow[0].bytes", "stop is given too"),
    "starts too late": (BASE + FLOW + 'start = "10 s"\n', "flow[0].start", "not before the end"),
    "stops before start": (
        BASE + FLOW + 'start = "3 s"\nstop = "2 s"\n',
        "flow[0].stop",
        "not after the start",
    ),
    "ping without interval": (
        BASE + "[[ping]]\nfrom = 'sta1'\nto = 'h1'\ninterval = '0 s'\n",
        "ping[0].interval",
        "out of range",
    ),
    "program nowhere": (BASE + "[[program]]\nnode = 'q'\ncommand = 'ls'\n", "program[0].node", "no node"),
    "loop": (
        BASE + "[[wire]]\nbetween = ['ap1', 's']\n[[wire]]\nbetween = ['s', 'ap1']\n",
        "wire[2]",
        "loop",
        "spanning tree",
    ),
    "wire to itself": (BASE.replace('"ap1", "h1"', '"h1", "h1"'), "wire[0].between", "both ends"),
    "wire of three": (
        BASE.replace('"ap1", "h1"', '"a", "b", "c"'),
        "wire[0].between",
        "at most 2 are possible",
    ),
    "towards nowhere": (
        BASE + "[wire.towards.x]\nrate = '1 Mbit/s'\n",
        "wire[0].towards.x",
        "not an end",
        "ap1 or h1",
    ),
    "rate without queue": (BASE + 'queue = "none"\n', "wire[0].queue", "needs a queue"),
    "node nowhere": (BASE + "[node.zz]\nkind = 'host'\n", "node.zz", 'no node "zz"', "Known: ap1"),
    "station as switch": (
        BASE + "[node.sta1]\nkind = 'switch'\n",
        "node.sta1.kind",
        "can't be a switch",
        "host or router",
    ),
    "address of a network": (
        BASE + "[node.h1]\naddresses = { eth0 = '10.0.0.0/24' }\n",
        "node.h1.addresses.eth0",
        "of a network",
    ),
    "address without length": (
        BASE + "[node.h1]\naddresses = { eth0 = '10.0.0.1' }\n",
        "node.h1.addresses.eth0",
        "prefix length",
    ),
    "address of no interface": (
        BASE + "[node.h1]\naddresses = { eth5 = '10.0.0.1/24' }\n",
        "node.h1.addresses.eth5",
        "no such interface",
        "eth0",
    ),
    "addresses of two networks": (
        BASE
        + "[node.h1]\naddresses = { eth0 = '10.1.0.1/24' }\n[node.sta1]\naddresses = { wlan0 = '10.2.0.1/24' }\n",
        "node.sta1.addresses.wlan0",
        "is not in",
    ),
    "address twice": (
        BASE
        + "[node.h1]\naddresses = { eth0 = '10.1.0.1/24' }\n[node.sta1]\naddresses = { wlan0 = '10.1.0.1/24' }\n",
        "node.h1.addresses.eth0",
        "is already used",
    ),
    "position without distance": (
        BASE + "[wifi.home.radio.sta1]\nposition = ['1 m', '2 m']\n",
        "wifi.home.radio.sta1.position",
        "no effect",
    ),
    "rssi with distance": (
        BASE + "[wifi.home.radio.sta1]\nrssi = '-50 dBm'\n[channel]\npropagation = 'log_distance'\n",
        "wifi.home.radio.sta1.rssi",
        "no effect",
    ),
    "rssi of the access point": (
        BASE + "[wifi.home.radio.ap1]\nrssi = '-50 dBm'\n",
        "wifi.home.radio.ap1.rssi",
        "access point",
    ),
    "radio of nobody": (
        BASE + "[wifi.home.radio.h1]\nrssi = '-50 dBm'\n",
        "wifi.home.radio.h1",
        "not in this cell",
    ),
    "link without radio": (
        BASE + "[[channel.link]]\nbetween = ['sta1', 'h1']\nrssi = '-50 dBm'\n",
        "channel.link[0].between",
        "no radio",
    ),
    "sysctl of the kernel": (
        BASE + '[sysctl]\n"net.core.rmem_max" = 1\n',
        'sysctl."net.core.rmem_max"',
        "whole kernel",
        "tcp_rmem",
    ),
    "sysctl without dots": (BASE + "[sysctl]\nnonsense = 1\n", 'sysctl."nonsense"', "not a setting"),
    "no network": ('name = "x"\nduration = "1 s"\n', "", "no network", "[wifi.NAME]"),
    "kernel": ('kernel = "six"\n' + BASE, "kernel", "is built here"),
    "mtu": ("mtu = 9000\n" + BASE, "mtu", "write at most 2296"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named(case):
    text, key, *reason = WRONG[case]
    refused(text, key, *reason)


@pytest.mark.runner
def test_golden_plans_satisfy_the_runners_schema(real_runner):
    import subprocess

    import jsonschema

    answer = subprocess.run([str(real_runner), "schema"], capture_output=True, text=True, check=True)
    schema = json.loads(answer.stdout)
    for plan in map(golden_plan, NAMES):
        if "sources" not in plan:
            jsonschema.validate(plan, schema)
