"""Sources, for runs without a guest."""

import pytest
from airtcp.plans.types.plan import PLAN_VERSION
from airtcp.scenario.compile.compiler import compile_scenario, compile_scene
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.values.dscp import DSCP, user_priority
from support.wifi_scenarios import HEAD, refused, scene_of, wifi

SOURCE = '[[source]]\nfrom = "sta1"\nto = "ap1"\n'


def source_of(keys="", cell='standard = "11n"'):
    return scene_of(wifi(cell, SOURCE + keys))["sources"][0]


def test_a_scene_holds_air_and_sources():
    scene = scene_of('warmup = "1 s"\nseed = 5\n' + wifi('standard = "11n"', SOURCE + SOURCE))
    assert list(scene) == ["version", "name", "seed", "warmup_ns", "duration_ns", "air", "sources"]
    assert (scene["version"], scene["seed"], scene["name"]) == (PLAN_VERSION, 5, "x")
    assert (scene["warmup_ns"], scene["duration_ns"]) == (1_000_000_000, 10_000_000_000)
    assert [source["name"] for source in scene["sources"]] == ["sta1-ap1", "sta1-ap1-2"]
    assert scene["sources"][0] == {
        "name": "sta1-ap1",
        "from": 1,
        "to": 0,
        "frame_bytes": 1514,
        "priority": 0,
        "pace": {"kind": "saturated"},
        "start_ns": 0,
        "end_ns": 10_000_000_000,
    }


def test_rates_are_of_the_payload():
    source = source_of('rate = "20 Mbit/s"\npayload = "1000 B"\nstart = "1 s"\nend = "20 s"')
    assert source["pace"] == {"kind": "cbr", "interval_ns": 400_000}
    assert (source["frame_bytes"], source["start_ns"]) == (1042, 1_000_000_000)
    assert source["end_ns"] == 10_000_000_000


@pytest.mark.parametrize(
    ("keys", "priority"),
    [
        ('access_category = "background"', 1),
        ('access_category = "video"', 5),
        ('access_category = "voice"', 6),
        ("dscp = 46", 6),
        ('dscp = "EF"', 6),
        ('dscp = "af41"', 4),
        ('dscp = "CS1"', 1),
        ('dscp = "LE"', 0),
    ],
)
def test_priorities(keys, priority):
    assert source_of(keys)["priority"] == priority


def test_code_points_map_as_in_linux():
    """RFC 8325 and the precedence of the rest, as the model's own table has them."""
    named = {
        0: (0, 1, 2, 3, 10, 12, 14, 16),
        3: (18, 20, 22),
        4: (24, 26, 28, 30, 32, 34, 36, 38),
        6: (44, 46),
    }
    for priority, points in named.items():
        assert [user_priority(point, "rfc8325") for point in points] == [priority] * len(points)
    assert [user_priority(DSCP[f"CS{n}"], "rfc8325") for n in range(8)] == [0, 1, 0, 4, 4, 5, 7, 7]
    assert [user_priority(point, "three_bits") for point in range(64)] == [point >> 3 for point in range(64)]


@pytest.mark.parametrize("kernel", ["6.1", "6.1-mine"])
def test_sources_have_the_priorities_of_the_scenarios_kernel(kernel):
    """EF is video in Linux 6.1 and voice in Linux 6.12."""
    assert source_of('dscp = "EF"')["priority"] == 6
    scene = scene_of(f'kernel = "{kernel}"\n' + wifi('standard = "11n"', SOURCE + 'dscp = "EF"'))
    assert scene["sources"][0]["priority"] == 5


WRONG = {
    "nobody": ('[[source]]\nfrom = "x"\nto = "ap1"', "source[0].from", 'no node "x"', "ap1, sta1"),
    "itself": ('[[source]]\nfrom = "ap1"\nto = "ap1"', "source[0].to", "itself"),
    "wired": (
        '[[source]]\nfrom = "sta1"\nto = "h"\n[[wire]]\nbetween = ["ap1", "h"]',
        "source[0].to",
        '"h" has no radio',
    ),
    "other cell": (
        '[wifi.b]\nstations = ["q"]\n[[source]]\nfrom = "sta1"\nto = "q"',
        "source[0]",
        "different cells",
    ),
    "too long": (SOURCE + 'payload = "1473 B"', "source[0].payload", "do not fit", "1472 B"),
    "too late": (SOURCE + 'start = "10 s"', "source[0].start", "not before the end"),
    "ends before": (SOURCE + 'start = "2 s"\nend = "1 s"', "source[0].end", "not after the start"),
    "both": (SOURCE + 'dscp = 0\naccess_category = "voice"', "source[0].access_category", "dscp is given"),
    "dscp": (SOURCE + 'dscp = "EX"', "source[0].dscp", 'unknown DSCP "EX"'),
    "dscp too large": (SOURCE + "dscp = 64", "source[0].dscp", "write at most 63"),
    "name twice": (SOURCE + 'name = "a"\n' + SOURCE + 'name = "a"', "source[1].name", "appears twice"),
    "flow": (SOURCE + '[[flow]]\nfrom = "sta1"\nto = "ap1"', "flow", "needs a guest"),
    "nothing": ("", "", "no [[source]]", "airtcp run"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_a_source_can_not_be(case):
    rest, key, *reason = WRONG[case]
    refused(wifi('standard = "11n"', rest), key, *reason, compiler=compile_scene)


def test_dcf_has_no_categories():
    text = wifi("", SOURCE + 'access_category = "voice"')
    refused(text, "source[0].access_category", "has DCF", "qos = true", compile_scene)


def test_what_belongs_to_the_other_kind_of_run():
    refused(wifi("", SOURCE), "source", "without a guest", "airtcp air", compile_scenario)
    refused('warmup = "1 s"\n' + wifi(), "warmup", "no effect", "", compile_scenario)
    refused('warmup = "10 s"\n' + wifi("", SOURCE), "warmup", "nothing to measure", "", compile_scene)


def test_two_stations_talk_through_their_access_point():
    text = wifi("", '[[source]]\nfrom = "a"\nto = "b"', '["a", "b"]')
    assert [scene_of(text)["sources"][0][end] for end in ("from", "to")] == [1, 2]
    mesh = HEAD + '[wifi.m]\nkind = "mesh"\nstations = ["a", "b", "c"]\npeerings = "chain"\n'
    assert scene_of(mesh + '[[source]]\nfrom = "a"\nto = "c"')["sources"][0]["to"] == 2


TWO_CELLS = HEAD + "[wifi.home]\nstations = 3\n[wifi.next]\nchannel = 6\nstations = 2\n"


def between(name, from_, to):
    return f"[[source]]\n{name}\nfrom = {from_}\nto = {to}\n"


def test_stations_by_number_and_ends_by_list_and_pattern():
    text = TWO_CELLS + between('name = "up"', '["sta3", "sta1"]', '"ap1"') + between("", '"ap?"', '["sta4"]')
    scene = scene_of(text.replace('"ap?"', '"ap2*"'))
    nodes = [nic["node"] for nic in scene["air"]["nics"]]
    assert nodes == ["ap1", "sta1", "sta2", "sta3", "ap2", "sta4", "sta5"]
    ends = [(source["name"], nodes[source["from"]], nodes[source["to"]]) for source in scene["sources"]]
    assert ends == [
        ("up-sta3", "sta3", "ap1"),
        ("up-sta1", "sta1", "ap1"),
        ("ap2-sta4", "ap2", "sta4"),
    ]


def test_a_pattern_means_every_other_node_with_a_radio():
    scene = scene_of(
        HEAD + '[wifi.home]\nstations = 2\n[[wire]]\nbetween = ["ap1", "h1"]\n' + between("", '"*"', '"ap1"')
    )
    assert [source["name"] for source in scene["sources"]] == ["sta1-ap1", "sta2-ap1"]


def test_ends_that_are_no_nodes_are_refused():
    wrong = {
        ('"x*"', '"ap1"'): ("source[0].from", 'no node matches "x*"'),
        ('["sta1", "sta9"]', '"ap1"'): ("source[0].from", 'no node "sta9"'),
        ('["sta1", "sta1"]', '"ap1"'): ("source[0].from", '"sta1" appears twice'),
        ('"sta1"', "[]"): ("source[0].to", "the list is empty"),
        ('"sta1"', '"sta1"'): ("source[0].to", "itself"),
        ('"sta*"', '"ap1"'): ("source[0]", '"sta4" and "ap1" are in different cells'),
    }
    for (from_, to), (key, what) in wrong.items():
        refused(TWO_CELLS + between("", from_, to), key, what, compiler=compile_scene)
    for number, what in ((0, "at least one station"), (251, "at most 250")):
        with pytest.raises(ScenarioError, match=what):
            scene_of(wifi(stations=number, rest=SOURCE))
