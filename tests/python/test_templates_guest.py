"""The templates of `airtcp init` run as they are, and show what their questions are about."""

import re

import pytest
from airtcp.cli.init import CAMPAIGNS, TEMPLATES, template_questions
from airtcp.data.run_folder import open_run
from airtcp.metrics.fairness import jain_index
from airtcp.quantities.latency import ping_round_trips
from airtcp.quantities.named_number import number
from airtcp.report.run.warnings import run_warnings
from support.command import airtcp as command
from support.documentation_pages import ROOT

pytestmark = pytest.mark.guest

S = 1_000_000_000


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Makes a scenario of a template and runs it, with changes."""
    place = tmp_path_factory.mktemp("templates")

    def run(name, *settings):
        file = place / f"{name}.toml"
        if not file.exists():
            assert command("init", name, cwd=place).returncode == 0
        answer = command("run", file, "--store", place / "store", *settings, cwd=place)
        assert answer.returncode == 0, answer.stderr
        return open_run(place / re.search(r"Run folder: (.*)", answer.stdout)[1])

    return run


def goodput(run):
    """Of each flow, in Mbit/s, from its start to its end."""
    rates = {}
    for planned, report in zip(run.plan["flows"], run.agent["flows"], strict=True):
        stop_ns = min(planned["stop_ns"], run.end_ns)
        rates[report["name"]] = report["bytes_received"] * 8e3 / (stop_ns - planned["start_ns"])
    return rates


def test_every_template_asks_a_question():
    questions = template_questions()
    readme = re.sub(r"\s+", " ", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert f"`airtcp init` writes such a file for {len(questions)} common questions" in readme
    examples = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert f"writes scenarios for {len(questions)} more questions" in examples
    assert all(question.endswith("?") for question in questions.values())
    for name in questions:
        assert f'name = "{name}"' in (TEMPLATES / f"{name}.toml").read_text()


@pytest.mark.parametrize("name", sorted(file.stem for file in CAMPAIGNS.glob("*.toml")))
def test_a_campaign_answers_the_question_of_its_template(name, tmp_path):
    """It is written beside the scenario, and all of it compiles."""
    told = command("init", name, "--out", "mine.toml", cwd=tmp_path)
    assert told.stdout.splitlines()[-1] == "Compare: airtcp sweep mine-campaign.toml"
    planned = command("sweep", "mine-campaign.toml", "--dry-run", cwd=tmp_path)
    assert planned.returncode == 0, planned.stderr
    assert 'scenario = "mine.toml"' in (tmp_path / "mine-campaign.toml").read_text()
    (tmp_path / "mine.toml").unlink()
    again = command("init", name, "--out", "mine.toml", cwd=tmp_path)
    assert "mine-campaign.toml: already exists" in again.stderr
    assert not (tmp_path / "mine.toml").exists()


def test_a_full_line_ruins_calls_with_a_fifo_and_not_with_cake(ran):
    """Up and down: the line's queue fills in both directions."""

    def delays_ms(*settings):
        run = ran("home-line", *settings)
        span = {"skip": "2 s", "statistic": "p95"}
        return {name: number(run, "datagram_delay", flows=name, **span) for name in ("call", "game-down")}

    fifo, cake = delays_ms(), delays_ms("--set", "wire[0].queue=cake")
    assert fifo["call"] > 20 * cake["call"]
    assert fifo["game-down"] > 4 * cake["game-down"]


@pytest.mark.parametrize("name", sorted(template_questions()))
def test_a_template_runs_without_a_warning(name, ran):
    assert run_warnings(ran(name)) == []


def test_the_queue_decides_the_latency(ran):
    bloated, controlled = ran("bufferbloat"), ran("bufferbloat", "--set", "wire[0].queue=fq_codel")
    idle, loaded = (ping_round_trips(bloated, 0, *span).mean_ms for span in ((0, 5 * S), (8 * S, 20 * S)))
    assert loaded > 5 * idle
    assert ping_round_trips(controlled, 0, 8 * S, 20 * S).mean_ms < 2 * idle


def fast(rates):
    return rates["h1-fast1"] + rates["h1-fast2"]


def test_a_slow_station_costs_the_others_without_airtime_fairness(ran):
    fair, unfair = (
        goodput(ran("slow-station")),
        goodput(ran("slow-station", "--set", "wifi.home.nic_queue=64 packets")),
    )
    assert fast(fair) > 2 * fast(unfair)
    assert fair["h1-slow"] < fair["h1-fast1"] / 5, "it is slow"
    near = goodput(ran("slow-station", "--set", "wifi.home.radio.slow.rssi=-50 dBm"))
    assert near["h1-slow"] > 4 * fair["h1-slow"], "because it is far away"


def test_ten_stations_share(ran):
    assert jain_index(list(goodput(ran("many-stations")).values())) > 0.8


def test_hidden_stations_collide_and_rts_protects_their_data(ran):
    def retries(run):
        return sum(nic["retries"] for nic in run.air_report["nics"] if nic["node"] != "ap1")

    assert retries(ran("hidden-stations")) > 2 * retries(
        ran("hidden-stations", "--set", "wifi.home.rts_threshold=500 B")
    )


def test_a_neighbour_takes_its_share(ran):
    together = goodput(ran("two-cells"))
    apart = goodput(ran("two-cells", "--set", "wifi.neighbour.channel=11"))
    assert together["ap1-sta1"] < 0.85 * apart["ap1-sta1"]


def test_a_template_is_not_written_over(tmp_path):
    assert "Run it: airtcp run call.toml" in command("init", "call", cwd=tmp_path).stdout
    again = command("init", "call", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (
        2,
        "airtcp: call.toml: already exists. Name another file with --out.\n",
    )
    wrong = command("init", "cal", cwd=tmp_path)
    assert 'Did you mean "call"?' in wrong.stderr
    assert "Does a call survive" in command("init", cwd=tmp_path).stdout


def test_an_old_client_costs_the_others_nothing_with_equal_airtime(ran):
    def laptop_mbps(*settings):
        return goodput(ran("old-client", *settings))["h1-laptop"]

    beside_new = laptop_mbps("--set", "wifi.home.radio.old.standard=11ax")
    assert laptop_mbps() == pytest.approx(beside_new, rel=0.1)
    assert laptop_mbps("--set", "wifi.home.nic_queue=64 packets") < 0.1 * beside_new
