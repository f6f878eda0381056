"""What is told of wrong keys and values: the right place for a first guess, and no words of the library."""

import copy
import re
import tomllib

import pytest
from airtcp.errors import AirtcpError
from airtcp.quantities.named_number import number
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.errors import ScenarioErrors
from airtcp.scenario.keys.cell import WifiCell
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.keys.wires import NodeSettings
from airtcp.scenario.reading import key_hints
from airtcp.scenario.reading.assignment import assign
from airtcp.scenario.reading.key_hints import other_name
from airtcp.scenario.reading.scenario_file import scenario_from_tables

SCENARIO = """name = "x"
duration = "1 s"
[wifi.home]
stations = ["sta1"]
[wifi.home.radio.sta1]
[[wire]]
between = ["ap1", "h1"]
[channel]
[guest]
[sampling]
[node.h1]
[[flow]]
from = "sta1"
to = "h1"
[[udp]]
from = "sta1"
to = "h1"
rate = "1 Mbit/s"
[[ping]]
from = "sta1"
to = "h1"
[[voip]]
from = "sta1"
to = "h1"
[[web]]
from = "h1"
to = "sta1"
[[request]]
from = "h1"
to = "sta1"
response = "1 kB"
[[video]]
from = "h1"
to = "sta1"
rates = ["1 Mbit/s"]
[[program]]
node = "h1"
command = "true"
[[interferer]]
kind = "on_off"
rssi = "-60 dBm"
period = "10 ms"
frequency = "2412 MHz"
bandwidth = "20 MHz"
on = "1 ms"
[[capture]]
node = "h1"
"""
TABLES = tomllib.loads(SCENARIO)


def refused(key, value):
    tables = copy.deepcopy(TABLES)
    assign(tables, key, value)
    with pytest.raises(ScenarioErrors) as caught:
        compile_scenario(scenario_from_tables(tables))
    return str(caught.value)


@pytest.mark.parametrize(
    ("key", "place"),
    [
        ("wifi.home.rssi", '[channel] rssi = "-60 dBm"'),
        ("wifi.home.signal", "[[channel.link]]"),
        ("wifi.home.radio.sta1.signal", "Write rssi"),
        ("wifi.home.snr", "noise_figure"),
        ("wifi.home.noise_floor", "noise_figure"),
        ("wifi.home.distance", "[wifi.NAME.radio.NODE] position"),
        ("wifi.home.propagation", "[channel] propagation"),
        ("wifi.home.fading", "[channel] fading"),
        ("wifi.home.per", "[[channel.loss]]"),
        ("wifi.home.encryption", 'security = "wpa2"'),
        ("wifi.home.ofdma", "not modelled"),
        ("wifi.home.bandwidth", "width"),
        ("wifi.home.clients", "stations"),
        ("wifi.home.nss", "streams"),
        ("wifi.home.tx_rate", "Write rate"),
        ("wire[0].bandwidth", "Write rate"),
        ("wire[0].latency", "Write delay"),
        ("wire[0].loss", "netem"),
        ("wire[0].qdisc", "Write queue"),
        ("flow[0].congestion_control", 'Write cca = "cubic"'),
        ("flow[0].size", "Write bytes"),
        ("flow[0].rate", "pacing"),
        ("udp[0].size", "Write payload"),
        ("ping[0].count", "Write stop"),
        ("program[0].cmd", "Write command"),
        ("flow[0].count", "several tables"),
        ("flow[0].protocol", "[[udp]]"),
        ("flow[0].reverse", "Exchange the nodes"),
        ("interferer[0].channel", "Write frequency"),
        ("capture[0].filter", "Wireshark"),
        ("sampling.interval", "Write flows"),
        ("rssi", "[channel] rssi"),
        ("link", "[[wire]]"),
    ],
)
def test_a_first_guess_is_told_the_right_place(key, place):
    assert place in refused(key, "1")


# Of each table of hints, the key below which what it says to write is put.
HINTED = {
    "_WIFI": "wifi.home",
    "_RADIO": "wifi.home.radio.sta1",
    "_WIRE": "wire[0]",
    "_FLOW": "flow[0]",
    "_DATAGRAMS": "udp[0]",
    "_PING": "ping[0]",
    "_ENDS": "ping[0]",
    "_STREAM": "voip[0]",
    "_CONNECTION": "web[0]",
    "_CHANNEL": "channel",
    "_NODE": "node.h1",
    "_PROGRAM": "program[0]",
    "_INTERFERER": "interferer[0]",
    "_CAPTURE": "capture[0]",
    "_SAMPLING": "sampling",
    "_TOP": "",
}
ANSWER = re.compile(
    r'(?:\[([a-zA-Z_.]+)\] )?("[\w.]+"|\b[a-z_]+) = ("[^"]*"|\[[^]]*\]|\{[^}]*\}|[\d.]+|true)'
)


def answers():
    """Every `KEY = VALUE` of a hint, and where it belongs."""
    for table, place in HINTED.items():
        for hint in getattr(key_hints, table).values():
            for below, key, value in ANSWER.findall(hint.remedy):
                yield below or place, key, value


def test_every_table_of_hints_is_checked():
    tables = {name for name in vars(key_hints) if re.fullmatch(r"_[A-Z]+", name)}
    texts = {name for name in tables if isinstance(getattr(key_hints, name), str)}
    assert tables - texts - {"_TABLES", "_EVERYWHERE"} == set(HINTED)


def needs(place, key):
    """What else a scenario must have for the key to be accepted."""
    if key == "security":
        return {"wifi.home.mac": "linux", "channel": {}}
    if key == "position":
        return {"channel.propagation": "log_distance", "wifi.home.radio.ap1.position": ["0 m", "0 m"]}
    if key == "exponent":
        return {"channel.propagation": "log_distance"}
    if key == "guard_interval":
        return {"wifi.home.standard": "11n"}
    if (place, key) in (("channel", "propagation"), ("channel", "reception"), ("channel.shadowing", "sigma")):
        places = {f"wifi.home.radio.{node}.position": ["0 m", "0 m"] for node in ("ap1", "sta1")}
        return places | {"channel.propagation": "log_distance"}
    return {}


@pytest.mark.parametrize(("place", "key", "value"), sorted(set(answers())))
def test_what_a_hint_says_to_write_is_accepted(place, key, value):
    """By the models; `compile_scenario` asks for more than one key."""
    tables = copy.deepcopy(TABLES)
    written = tomllib.loads(f"x = {value}")["x"]
    place = place.replace("wifi.NAME", "wifi.home").replace("radio.NODE", "radio.sta1")
    tables_of_lists = {"wire": "wire[0]"}
    place = tables_of_lists.get(place, place)
    for other, needed in needs(place, key).items():
        assign(tables, other, needed)
    assign(tables, f"{place}.{key}".lstrip("."), written)
    scenario_from_tables(tables)


def test_a_hint_is_for_an_unknown_key_only():
    """A known key with a hint would never be told it."""
    known = {
        "_WIFI": WifiCell,
        "_NODE": NodeSettings,
        "_TOP": Scenario,
    }
    for table, model in known.items():
        names = {field.alias or name for name, field in model.model_fields.items()}
        assert not names & set(getattr(key_hints, table)) - {"ssid"}, table


def test_a_key_without_a_hint_has_none():
    assert other_name("wifi.home.colour_of_the_box") is None
    assert other_name("flow[3].colour") is None


LIBRARYS_WORDS = re.compile(
    r"[Ii]nput should|[Vv]alue error|valid (tuple|integer|string|list|dict|number|boolean)|function-|"
    r"\bNone\b|\bTrue\b|\bFalse\b|instance of|after validation|should match pattern|discriminator|'"
)
WRONG = [True, False, -1, 5, 5.5, "zzz zzz", "", "1 s", [], [1], [["x"]], {"a": 1}, float("nan"), 10**30]


def keys_of(place, model):
    return [f"{place}.{field.alias or name}".lstrip(".") for name, field in model.model_fields.items()]


def every_key():
    yield from keys_of("", Scenario)
    yield from keys_of("wifi.home", WifiCell)
    yield from keys_of("node.h1", NodeSettings)
    for table, value in TABLES.items():
        annotation = Scenario.model_fields[table].annotation
        model = next((one for one in getattr(annotation, "__args__", [annotation])), annotation)
        if isinstance(value, list):
            yield from keys_of(f"{table}[0]", model)
        elif isinstance(value, dict) and table not in ("wifi", "node"):
            yield from keys_of(table, model)


def answer(tables):
    try:
        scenario_from_tables(tables)
    except ScenarioErrors as errors:
        return str(errors)
    return ""


@pytest.mark.parametrize("key", sorted(set(every_key())))
def test_no_wrong_value_is_answered_in_the_librarys_words(key):
    for value in WRONG:
        tables = copy.deepcopy(TABLES)
        assign(tables, key, value)
        assert not LIBRARYS_WORDS.search(answer(tables)), value


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("seed", -1, "seed: -1 is out of range: write at least 0."),
        ("wifi.home.mac", "linxu", '"linxu" is not possible. Write "airtcp" or "linux".'),
        ("wifi.home.beacons", "no", '"no" is not true or false. Write false, without quotes.'),
        ("wifi.home.cw_min", "15", '"15" is not a whole number. Write 15, without quotes.'),
        ("flow[0].from", True, "flow[0].from: true is not text. See airtcp help flow.from."),
        ("guest", 5, "5 is not a table. Write [guest] with keys below it"),
        ("wire[0].between", "ap1", 'is not a list. Write ["ap1", ...].'),
        # One table of several, and tables below one of several.
        ("capture", True, "true is not a table. Write [[capture]] with keys below it."),
        ("channel.loss", "5%", '"5%" is not a table. Write [[channel.loss]] with keys below it.'),
        ("wire[0].trace", "x", "Write [wire.trace] with keys below it"),
        # Settings of the kernel.
        ("sysctl", {"net": {"ipv4": {"tcp_sack": 0}}}, 'Write it in quotes: "net.ipv4.tcp_sack" = 0.'),
        ("node.h1.sysctl", {"net": {"ipv4": {"x": "a"}}}, 'in quotes: "net.ipv4.x" = "a".'),
        ("sysctl", {"net.ipv4.tcp_sack": False}, "false is no value of a setting. Write 0."),
        # Numbers with units that they do not have, and without those that they need.
        ("udp[0].payload", "160 B", '"160 B" is not a whole number. Write 160, without quotes.'),
        ("channel.rssi", -60, '-60 has no unit; write text such as "-60 dBm".'),
        ("channel.rssi", "-60", '"-60" has no unit; write for example "-60 dBm".'),
        ("wifi.home.tx_power", 15, 'write text such as "15 dBm"'),
        (
            "wifi.home.tx_power",
            "100 mW",
            '"mW" is not a unit of power, which is logarithmic; did you mean "20 dBm"?',
        ),
        ("wifi.home.tx_power", "0.1 W", 'did you mean "20 dBm"?'),
        ("wifi.home.rts_threshold", 500, 'write text such as "500 B"'),
        ("wifi.home.width", 20, 'write text such as "20 MHz"'),
        ("duration", "2m", 'did you mean "2 min"?'),
        # Powers that nothing receives.
        (
            "channel.rssi",
            "60 dBm",
            '"60 dBm" is no received power: it is 0 dBm at most; did you mean "-60 dBm"?',
        ),
        ("channel.link", [{"between": ["ap1", "sta1"], "rssi": "50 dBm"}], 'did you mean "-50 dBm"?'),
        ("channel.carrier_sense", "82 dBm", 'did you mean "-82 dBm"?'),
        ("channel.sensitivity", "90 dBm", 'did you mean "-90 dBm"?'),
        ("channel.energy_detection", "62 dBm", 'did you mean "-62 dBm"?'),
        ("wifi.home.radio.sta1.rssi", "1 dBm", 'did you mean "-1 dBm"?'),
        ("interferer[0].rssi", "40 dBm", 'did you mean "-40 dBm"?'),
        # Queues and standards as people call them.
        ("wire[0].queue", "droptail", '"droptail" is not a queue; write "100 packets".'),
        ("wire[0].queue", "FIFO", 'write "100 packets"'),
        ("wire[0].queue", "noqueue", 'write "none"'),
        ("wire[0].queue", "100", 'write "100 packets"'),
        ("wire[0].queue", "100 Packets", 'write "100 packets"'),
        ("wire[0].queue", "100 ms", 'a queue counts packets or octets; write "100 packets" or "64 kB"'),
        ("wire[0].queue", "1 BDP", "a queue counts packets or octets"),
        ("wire[0].queue", "fq_codel target 5 ms", 'as one word, not "5 ms"; write "fq_codel target 5ms".'),
        ("wire[0].queue", "cake bandwidth 10 Mbit rtt 20 ms", 'write "cake bandwidth 10Mbit rtt 20ms"'),
        ("wifi.home.standard", "wifi6", 'did you mean "11ax"?'),
        ("wifi.home.standard", "Wi-Fi 7", 'did you mean "11be"?'),
    ],
)
def test_a_wrong_value_is_shown_as_it_was_written(key, value, told):
    assert told in refused(key, value)


@pytest.mark.parametrize(
    ("aql", "limits"),
    [
        (True, [5000, 12000]),
        (False, None),
        ("off", None),
        (["1 ms", "2 ms"], [1000, 2000]),
    ],
)
def test_airtime_limits_of_a_queue_are_a_switch_too(aql, limits):
    tables = copy.deepcopy(TABLES)
    assign(tables, "wifi.home.nic_queue", {"kind": "fq_codel", "aql": aql})
    plan = compile_scenario(scenario_from_tables(tables))
    assert plan["air"]["nics"][0]["queue"]["aql_us"] == limits


@pytest.mark.parametrize("aql", [5, "5 ms", ["5 ms"], []])
def test_airtime_limits_that_are_none_are_told_how_to_write(aql):
    told = refused("wifi.home.nic_queue", {"kind": "fq_codel", "aql": aql})
    assert 'is not a pair of times; write ["5 ms", "12 ms"], true or false' in told


def test_a_wrong_argument_of_a_number_is_told_in_plain_words():
    with pytest.raises(AirtcpError, match="statistics: unknown argument") as caught:
        number("runs/x", "cwnd", statistics="p95")
    assert not LIBRARYS_WORDS.search(str(caught.value))
