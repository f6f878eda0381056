"""Mistakes that people make, and what airtcp answers: an exit status, and words that name file, key and remedy."""

import re
from dataclasses import dataclass

import pytest
from airtcp.cli.changes import changes
from airtcp.scenario.compile.compiler import compile_file
from support.run_folder import write_run_folder

NETWORK = """name = "home"
duration = "2 s"
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
"""
FLOW = '[[flow]]\nfrom = "sta1"\nto = "h1"\n'
CAMPAIGN = (
    'name = "queues"\nscenario = "good.toml"\nmetrics = ["throughput"]\n[factor.cca]\nkey = "flow[*].cca"\n'
)


@dataclass(frozen=True)
class Mistake:
    """A scenario `file.toml` and a command, and what must be said of them."""

    words: tuple[str, ...]
    text: str = NETWORK + FLOW
    command: str = "show-plan file.toml"
    status: int = 2


def of(text, *words):
    """A scenario with these lines after the network."""
    return Mistake(words, NETWORK + text)


def flow(line, *words):
    """A scenario with this line in its flow."""
    return of(f"{FLOW}{line}\n", *words)


def given(command, *words, text=NETWORK + FLOW):
    """A command with a good scenario, or with another."""
    return Mistake(words, text, command)


def campaign(table, lines, *words):
    """A campaign with one more table, which shows its metric."""
    shown = 'metrics = ["x"]' if table == "metric.x" else 'metrics = ["throughput"]'
    text = CAMPAIGN.replace('metrics = ["throughput"]', shown)
    return Mistake(words, f'{text}values = ["reno"]\n[{table}]\n{lines}\n', "sweep file.toml --dry-run")


PING = '[[ping]]\nfrom = "sta1"\nto = "h1"\n'
UDP = '[[udp]]\nfrom = "sta1"\nto = "h1"\n'
PROGRAM = '[[program]]\nnode = "sta1"\n'
MISTAKES = {
    # Words and types.
    "cca in capitals": flow('cca = "Reno"', "file.toml:10: flow[0].cca:", 'did you mean "reno"'),
    "cca misspelled": flow('cca = "cubik"', "flow[0].cca:", 'did you mean "cubic"'),
    "cca of one's own": flow('cca = "mine"', "airtcp kernel build --cca tcp_mine.c"),
    "key misspelled": flow(
        'strat = "1 s"', "file.toml:10: flow[0].strat: unknown key", 'Did you mean "start"?'
    ),
    "key of nothing": flow("colour = 1", "unknown key", "Known: ", "bytes"),
    "one table": of('[flow]\nfrom = "sta1"\nto = "h1"\n', "file.toml:7: flow:", "Write [[flow]]"),
    "stations as text": given(
        "show-plan file.toml",
        'Write ["sta1"]',
        text='name = "x"\nduration = "1 s"\n[wifi.a]\nstations = "sta1"\n',
    ),
    "too many stations": given(
        "show-plan file.toml",
        "file.toml:4:",
        "at most 250",
        text='name="x"\nduration="1 s"\n[wifi.a]\nstations=500\n',
    ),
    "long name": given(
        "show-plan file.toml",
        "file.toml:1: name: has 60 characters, 40 are possible",
        text=NETWORK.replace("home", "h" * 60, 1),
    ),
    "no name": given("show-plan file.toml", "name: is missing", text=NETWORK.partition("\n")[2]),
    "empty file": given("show-plan file.toml", "name: is missing", "duration: is missing", text=""),
    "no network": given(
        "show-plan file.toml", "no network", "[wifi.NAME]", text='name="x"\nduration="1 s"\n'
    ),
    "not TOML": given("show-plan file.toml", "file.toml:1: TOML syntax", "name = 1", text="name = = 1"),
    "number without unit": given(
        "show-plan file.toml",
        "file.toml:2: duration: 2 has no unit",
        '"10 s"',
        text=NETWORK.replace('"2 s"', "2"),
    ),
    # Units.
    "Mbps": of(f'{UDP}rate = "5 Mbps"\n', "udp[0].rate:", 'did you mean "5 Mbit/s"?'),
    "Mb/s": of(f'{UDP}rate = "5 Mb/s"\n', 'did you mean "5 Mbit/s"?'),
    "kbit": of(f'{UDP}rate = "64 kbit"\n', 'did you mean "64 kbit/s"?'),
    "MB/s": of(f'{UDP}rate = "5 MB/s"\n', "counts bits", 'did you mean "40 Mbit/s"?'),
    "time of bytes": of(f'{PING}interval = "5 kB"\n', '"kB" is not a unit of time', "ms"),
    "sec": of(f'{PING}interval = "1 sec"\n', 'did you mean "1 s"?'),
    "no time": of(f'{PING}interval = "0 s"\n', "ping[0].interval:", "more than 0, at most 24 h"),
    "negative": of(f'{PING}start = "-1 s"\n', "is negative"),
    "too many pings": of(f'{PING}interval = "1 us"\n', "would send 2000000 requests", "longer"),
    "rate of none": of(f'{UDP}rate = "fast"\n', "is not a rate", '"10 Mbit/s"'),
    # Nodes, wires, queues.
    "unknown node": of('[[flow]]\nfrom = "sta2"\nto = "h1"\n', "file.toml:8: flow[0].from:", "sta2", "sta1"),
    "flow to itself": of('[[flow]]\nfrom = "h1"\nto = "h1"\n', "flow[0].to:", "talk to itself"),
    "pattern of nothing": of('[[flow]]\nfrom = "x*"\nto = "h1"\n', 'no node matches "x*"', "Known: "),
    "start after the end": flow('start = "3 s"', "flow[0].start:"),
    "stop before start": flow('start = "1 s"\nstop = "0.5 s"', "flow[0].stop:"),
    "bytes and stop": flow('bytes = "1 MB"\nstop = "1 s"', "flow[0].bytes:", "Keep one of them"),
    "unknown qdisc": given(
        "show-plan file.toml",
        "wire[0].queue:",
        'did you mean "fq_codel"',
        text=f'{NETWORK}queue = "fqcodel"\n{FLOW}',
    ),
    "queue without unit": given(
        "show-plan file.toml", "wire[0].queue:", "packets", text=f"{NETWORK}queue = 20\n{FLOW}"
    ),
    "queue of none": given(
        "show-plan file.toml", "0 packets", "1 to 1000000", text=f'{NETWORK}queue = "0 packets"\n{FLOW}'
    ),
    "rate without queue": given(
        "show-plan file.toml", "needs a queue", text=f'{NETWORK}queue = "none"\n{FLOW}'
    ),
    "sysctl of the kernel": of(
        f'{FLOW}[sysctl]\n"net.core.rmem_max" = 1\n', "can't be set per node", "tcp_rmem"
    ),
    "phase of a Poisson process": of(
        f'{UDP}rate = "1 Mbit/s"\npace = "poisson"\nphase = "none"\n', "udp[0].phase:"
    ),
    "program nowhere": of('[[program]]\nnode = "h9"\ncommand = "true"\n', "program[0].node:", "h9"),
    "files of nothing": of(
        f'{PROGRAM}command = "true"\nfiles = ["x*"]\n', "program[0].files:", "no file matches"
    ),
    "date of the past": given(
        "show-plan file.toml", "date:", "out of range", text=f"date = 1969-01-01\n{NETWORK}"
    ),
    "sampling too often": of(f'{FLOW}[sampling]\nflows = "10 us"\n', "sampling.flows:", '"1 ms"'),
    "source with a flow": of(f'{FLOW}[[source]]\nfrom = "sta1"\nto = "ap1"\n', "source"),
    # Several at once, each with its line.
    "several": of(
        f'{FLOW}cca = "Reno"\n{UDP}rate = "5 Mbps"\nport = 0\n',
        "file.toml:10: flow[0].cca:",
        "file.toml:14: udp[0].rate:",
        "file.toml:15: udp[0].port:",
    ),
    # Files and commands.
    "no such file": given("run nowhere.toml", "nowhere.toml: there is no such file", "Check the path"),
    "a folder": given("run runs", "is a folder", "Name the scenario file"),
    "a campaign to run": given(
        "run queues.toml", "is a campaign, not a scenario", "airtcp sweep queues.toml"
    ),
    "a scenario to sweep": given("sweep file.toml", "is a scenario, not a campaign", "airtcp run file.toml"),
    "huge seed": given(
        "run file.toml --seed 99999999999999999999", "seed = 99999999999999999999", "9223372036854775807"
    ),
    "negative seed": given("run file.toml --seed -1", "seed = -1", "seed:"),
    "setting of nothing": given("show-plan file.toml --set rate", "--set:", '"rate" is not KEY=VALUE'),
    "setting of no key": given("show-plan file.toml --set wire[7].rate=x", "wire[7]"),
    "setting of a wrong value": given(
        "show-plan file.toml --set wire[0].rate=5Mbps", "wire[0].rate = 5Mbps", 'did you mean "5 Mbit/s"'
    ),
    "no option": given("run file.toml --sede 1", "--sede"),
    "no command": given("runn file.toml", "runn"),
    # Looking at results.
    "plot of a store": given(
        "plot runs", "is a folder of run folders", "Name one of them, for example runs/"
    ),
    "plot of nothing": given("plot nowhere", "there is no such run folder"),
    "plot of another folder": given("plot other", "is not a run folder"),
    "plot of an unknown quantity": given("plot RUN --what cwdn", "--what:", 'Did you mean "cwnd"?'),
    "plot as a photograph": given("plot RUN --out x.jpg", 'no format "jpg"', "png, svg, pdf"),
    "plot of no flow": given("plot RUN --flows x*", 'no flow "x*"', "The run has sta1-h1"),
    "plot of no node": given("plot RUN --nodes x*", 'no node "x*"', "The run has "),
    "plot of no time": given("plot RUN --from 9s", "--from, --to", "The run lasts 2 s"),
    "plot where nobody may write": given("plot RUN --what cwnd --out /proc/x/y", "/proc/x: can't be used"),
    "plan with another seed": given("run RUN/plan.json --seed 3", "--seed with", "run the scenario"),
    "plan with another value": given("run RUN/plan.json --set name=x", "--set with", "run the scenario"),
    "explain of a store": given("explain runs", "is a folder of run folders"),
    "report of nothing": given("report nowhere", "nowhere"),
    "compare of nothing": given("compare nowhere file.toml", "nowhere"),
    # Figures, their paper, and campaigns with their metrics.
    "plot wider than known": given(
        "plot RUN --width ieee", "--width:", 'no width "ieee"', "ieee-column", "88 mm"
    ),
    "plot as wide as a house": given("plot RUN --width 9000mm", "--width:", "1.5 to 40 in"),
    "plot in tiny letters": given("plot RUN --font-size 1", "--font-size"),
    "map without places": given("plot RUN --kind map", "no positions to draw", "position = [...]"),
    "map with quantities": given("plot RUN --kind map --what rtt", "--what has no effect on --kind map"),
    "latency of nothing": given("plot RUN --kind latency", "there is no latency to draw", "Add a [[ping]]"),
    "logarithm over time": given("plot RUN --log", "--log has no effect on --kind time"),
    "sampling of sockets by a number": of(
        f"{PROGRAM}command = 'true'\n[sampling]\nsockets = 1\n", "sampling.sockets:"
    ),
    "amount without a unit": of("[sampling]\nsockets_least = 64\n", "sampling.sockets_least:", '"64 B"'),
    "metric of nothing": campaign(
        "metric.x", 'label = "x"', "metric x", "does not name a quantity", "python ="
    ),
    "metric misspelled": campaign(
        "metric.x", 'of = "datagram_dela"', "metric x", 'Did you mean "datagram_delay"?'
    ),
    "percentile of two hundred": campaign(
        "metric.x", 'of = "rtt"\nstatistic = "p200"', "metric x", 'no statistic "p200"', 'statistic = "p95"'
    ),
    "percentile of no values": campaign(
        "metric.x",
        'of = "jain_index"\nstatistic = "p95"',
        "metric x",
        '"jain_index" has no values',
        "datagram_delay",
    ),
    "seeds of a campaign": given(
        "sweep file.toml --dry-run",
        "file.toml:2: seeds: unknown key. Write reps = 5",
        text=f'name = "q"\nseeds = [1]\n{CAMPAIGN.partition(chr(10))[2]}values = ["reno"]\n',
    ),
    "repetitions as text": given(
        "sweep file.toml --dry-run",
        'file.toml:1: reps: "3" is not a whole number. Write 3, without quotes.',
        text=f'reps = "3"\n{CAMPAIGN}values = ["reno"]\n',
    ),
    "figure of no factor": campaign(
        "[figure]",
        'id = "f"\ntitle = "f"\nkind = "bars"\nx = "ca"\ny = "rtt"',
        'figure f: there is no factor "ca". Did you mean "cca"?',
    ),
    # Before anything runs.
    "figure that would average a factor": campaign(
        "factor.queue",
        'key = "wire[0].queue"\nvalues = ["1 packet", "2 packets"]\n[[figure]]\nid = "f"\ntitle = "f"\n'
        'kind = "bars"\nx = "cca"\ny = "rtt"',
        "figure f: queue has several levels (1 packet, 2 packets), which would be averaged",
    ),
    "line over words": campaign(
        "[figure]",
        'id = "f"\ntitle = "f"\nkind = "lines"\nx = "cca"\ny = "rtt"',
        "figure f: cca: reno are not numbers of one unit",
        'Use kind = "bars"',
    ),
    "key of a factor": campaign(
        "factor.queue", 'kye = "wire[0].queue"', "file.toml:8: factor.queue.kye: unknown key", '"key"'
    ),
    "key of a metric": campaign(
        "metric.x",
        'of = "rtt"\nstatistics = "p95"',
        "file.toml:9: metric.x.statistics: unknown key",
        'Did you mean "statistic"?',
    ),
    "function of no file": campaign(
        "metric.x", 'python = "mine.py:f"', "mine.py can't be read", "FILE.py:FUNCTION"
    ),
    "style misspelled": campaign(
        "style", 'widht = "88 mm"', "style.widht: unknown key", 'Did you mean "width"?'
    ),
    "style of another width": campaign("style", 'width = "broad"', "style.width:", 'no width "broad"'),
    "figure of no kind": campaign(
        "[figure]", 'id = "f"\ntitle = "f"\nkind = "pie"\ny = "rtt"', "figure[0].kind:"
    ),
    "panels of no factor": campaign(
        "[figure]",
        'id = "f"\ntitle = "f"\nkind = "bars"\nx = "cca"\ny = "rtt"\npanels = "quue"',
        "figure f",
        '"quue"',
    ),
    "json of a scenario that is none": given("run other --json", "other:"),
    "watched and missing": given("run nowhere.toml --json", "nowhere.toml:", "no such file"),
}


@pytest.fixture
def home(tmp_path):
    """A folder with a scenario, a campaign, a store of one run, and another folder."""
    # Where the fixture `airtcp`, which makes it, runs commands.
    work = tmp_path / "work"
    (work / "good.toml").write_text(NETWORK + FLOW)
    (work / "queues.toml").write_text(f'{CAMPAIGN}values = ["reno", "cubic"]\n')
    (work / "other").mkdir()
    run = write_run_folder(work / "runs", dict(compile_file(work / "good.toml")))
    return work, run.relative_to(work)


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_with_its_place_and_a_remedy(name, airtcp, home):
    mistake, (work, run) = MISTAKES[name], home
    (work / "file.toml").write_text(mistake.text)
    answer = airtcp(*mistake.command.replace("RUN", str(run)).split())
    said = answer.stderr
    assert answer.returncode == mistake.status, said
    assert "Traceback" not in said
    for word in mistake.words:
        assert word in said
    # One line for each mistake, unless the library of commands explains an option.
    if "Usage" not in said:
        assert all(re.match(r"airtcp: \S", line) for line in said.splitlines()), said


def test_what_is_changed_on_the_command_line_is_in_the_plan(airtcp, home):
    work, _ = home
    (work / "file.toml").write_text(NETWORK + FLOW)
    options = [
        "--set",
        "wire[0].queue=7 packets",
        "--set",
        "flow[*].cca=bbr",
        "--set",
        "hz=1000",
        "--seed",
        "8",
    ]
    answer = airtcp("show-plan", "file.toml", *options)
    assert answer.returncode == 0, answer.stderr
    for word in ('"limit": 7', '"congestion_control": "bbr"', '"kernel": "6.12-hz1000"', '"seed": 8'):
        assert word in answer.stdout


@pytest.mark.parametrize("kernel", ["6.1", '"6.1"', "6.12-lab"])
def test_a_kernel_of_the_command_line_needs_no_quotes(kernel):
    assert changes(None, [f"kernel={kernel}"]) == {"kernel": kernel.strip('"')}


SYNTAX = {
    "text without quotes": ("cca = cubic", 'file.toml:10: TOML syntax: invalid value. Write cca = "cubic".'),
    "text and a unit without quotes": ("start = 1 s", 'Write start = "1 s".'),
    "two signs": ('cca == "cubic"', 'file.toml:10: TOML syntax: invalid value. Write cca = "cubic".'),
    "a colon": ("cca: cubic", 'Write cca = "cubic".'),
    "a colon and a number": ("port: 80", "Write port = 80."),
    "nothing between": ("cca cubic", 'Write cca = "cubic".'),
    "words of Python": ("gso = True", "Write gso = true."),
    "no value": (
        "cca =",
        'file.toml:10: TOML syntax: invalid value. Give cca a value, or remove the line: cca = "...".',
    ),
    "a text that does not end": ('cca = "cubic', "The text in this line does not end: close it with"),
    "a table twice": ("[wifi.home]", "file.toml:10: TOML syntax: cannot declare"),
    "a key twice": ('to = "ap1"', "The key has a value already: remove one of the lines."),
}


@pytest.mark.parametrize("name", SYNTAX)
def test_what_is_not_toml_is_told_with_its_line_and_what_to_write(airtcp, tmp_path, name):
    line, words = SYNTAX[name]
    (tmp_path / "work" / "file.toml").write_text(f"{NETWORK}{FLOW}{line}\n")
    told = airtcp("show-plan", "file.toml")
    assert told.returncode == 2
    assert told.stderr.startswith("airtcp: file.toml:10: TOML syntax: ")
    assert words in told.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"name": "x"}', "file.toml:1: is JSON, not TOML."),
        ("\ufeffname = 1", "file.toml:1: begins with a byte order mark. Save it as UTF-8 without one."),
        (f"{NETWORK}[[wires]]\nrate = 1\n", 'file.toml:7: wires: unknown key. Did you mean "wire"?'),
        (f"{NETWORK}[[link]]\nrate = 1\n", "file.toml:7: link: unknown key. Write [[wire]]"),
    ],
)
def test_what_is_no_scenario_at_all_is_told_with_its_line(airtcp, tmp_path, text, words):
    (tmp_path / "work" / "file.toml").write_text(text)
    assert words in airtcp("show-plan", "file.toml").stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('rate = "1,5 Mbit/s"', '"1,5 Mbit/s" has a comma; write a point: "1.5 Mbit/s".'),
        ('rate = "10G"', 'did you mean "10 Gbit/s"?'),
        ('queue = "100 pkts"', '"100 pkts" is not a queue; write "100 packets".'),
        ('queue = "10 Mbyte"', 'did you mean "10 MB"?'),
    ],
)
def test_values_as_people_say_them_are_answered_with_the_value(airtcp, tmp_path, line, words):
    (tmp_path / "work" / "file.toml").write_text(f"{NETWORK}{line}\n")
    assert words in airtcp("show-plan", "file.toml").stderr


def test_the_help_that_a_message_names_is_there(airtcp, tmp_path):
    text = f'{NETWORK}[node.h1]\nsysctl = {{ "net.ipv4.tcp_sack" = [1] }}\n'
    (tmp_path / "work" / "file.toml").write_text(text)
    told = airtcp("show-plan", "file.toml").stderr
    (topic,) = re.findall(r"airtcp help (\S+)\.$", told.strip())
    assert airtcp("help", topic).returncode == 0
