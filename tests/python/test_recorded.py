"""Studies that hold airtcp against recordings, with recordings made for the test."""

import json
import random

import numpy as np
import polars
import pytest
from airtcp.errors import AirtcpError
from airtcp.recorded import half_trace, orbit_losses
from airtcp.recorded.half_trace import Half, Prediction, error, halves, quantiles, wifi_prediction
from airtcp.recorded.known import recorded_study
from airtcp.recorded.orbit_losses import FRAMES, LEVELS, blurred, bursts, crossing, curve, measure, read_level
from airtcp.recorded.recorded_report import write_recorded
from airtcp.recorded.recorded_study import Work, judged
from support.command import airtcp


def test_a_recording_is_cut_in_the_middle_of_its_time(tmp_path):
    rows = [(n * 0.015, 10 + n % 2, 5.0 + n, 0.1 if n >= 60 else 0.0) for n in range(100)]
    file = tmp_path / "trace1.log"
    file.write_text("".join(f"{t:.3f} {rate:.2f} {rtt:.1f}ms {loss:.2f}\n" for t, rate, rtt, loss in rows))
    first, second = halves(file)
    assert first.rtts_ms.tolist() == pytest.approx([5.0 + n for n in range(50)])
    assert second.rtts_ms.tolist() == pytest.approx([55.0 + n for n in range(50)])
    assert second.recording.times_s[0] == 0
    assert first.recording.end_s == pytest.approx(0.75)
    assert (first.rate_mbps, first.loss, second.loss) == (pytest.approx(10.5), 0, pytest.approx(0.08))


def test_quantiles_are_values_that_occurred():
    assert quantiles(np.arange(1.0, 101.0)).tolist() == [5, 25, 50, 75, 90, 95, 99]
    assert error(np.array([2.0, 1.0]), np.array([1.0, 1.0])) == pytest.approx(np.log(2) / 2)


def test_the_parameter_is_that_which_fits_the_first_half(tmp_path):
    file = tmp_path / "trace1.log"
    file.write_text("".join(f"{n * 0.015:.3f} 10 {10 + 0.1 * (n % 50):.1f}ms 0\n" for n in range(400)))
    first = halves(file)[0]
    assert isinstance(first, Half)
    air = {0: np.full(100, 1.0), 2: np.linspace(1, 6, 100), 8: np.linspace(1, 60, 100)}
    made = wifi_prediction(
        first, [Prediction(quantiles(sample), number, sample, 0.0) for number, sample in air.items()]
    )
    assert isinstance(made, Prediction)
    assert made.parameter == 2
    assert made.quantiles[0] == pytest.approx(10.25, abs=0.06)


def waterfall(power):
    """A loss that falls from 1 to 0 between 2 and 6 dB."""
    return min(1.0, max(0.0, (6 - power) / 4))


@pytest.fixture
def levels(tmp_path):
    """Links of a grid whose RSSI falls by 4 dB from level to level, and whose losses are independent."""
    randomly = random.Random(3)
    for step, level in enumerate(LEVELS):
        for link in range(400):
            power = 22 - link * 0.05 - 4 * step
            folder = tmp_path / level / f"Results_node{link}-1_DailyTest_{level}"
            folder.mkdir(parents=True)
            heard = [n for n in range(FRAMES) if randomly.random() >= waterfall(power)]
            octets = [round(power + randomly.gauss(0, 0.5)) % 256 for _ in heard]
            (folder / "sdec1-2").write_text("".join(f"{n} {o}\n" for n, o in zip(heard, octets, strict=True)))
    return [read_level(tmp_path / name) for name in LEVELS]


def test_the_curve_of_a_known_grid_is_found(levels):
    measured = measure(levels)
    assert all(step == pytest.approx(4, abs=0.1) for step in measured.step_db.values())
    assert measured.spread_db < 0.2
    places, losses, links = curve(measured)
    assert min(links) >= 10
    for share in (0.9, 0.5, 0.1):
        assert crossing(places, losses, share) == pytest.approx(6 - 4 * share, abs=0.2)
    number, differences = bursts(levels)
    assert number > 100
    assert abs(differences[1]) < 0.02


def test_a_sharp_curve_is_as_wide_as_its_blur():
    snrs = np.arange(-8.0, 16.01, 0.5)
    wide = blurred((snrs < 4).astype(float), 2.0)
    # From 90 to 10 %: 2 x 1.2816 standard deviations.
    assert crossing(snrs, wide, 0.1) - crossing(snrs, wide, 0.9) == pytest.approx(2 * 1.2816 * 2.0, abs=0.15)


def test_a_file_that_is_none_is_refused_with_its_line(tmp_path):
    folder = tmp_path / LEVELS[0] / "Results_node1-2_x"
    folder.mkdir(parents=True)
    (folder / "sdec1-2").write_text("0 27\n1 x\n")
    with pytest.raises(AirtcpError, match="line 2 has no sequence number and RSSI"):
        read_level(tmp_path / LEVELS[0])
    with pytest.raises(AirtcpError, match="has no measurements"):
        read_level(tmp_path / "other")


class Pinged:
    """A run whose pings have these RTTs in ms; -1: without an answer."""

    def __init__(self, rtts_ms):
        self.pings = polars.DataFrame({"rtt_ns": [int(rtt * 1e6) if rtt > 0 else -1 for rtt in rtts_ms]})

    def series(self, name):
        return {"pings": self.pings}[name]


def no_scenes(_plans):
    raise AssertionError("no scene is asked for")


def test_half_of_a_recording_is_a_study(tmp_path):
    for number in (1, 2, 10):
        rows = (f"{n * 0.015:.3f} 10 {10 + 0.1 * (n % 50) * number:.1f}ms 0\n" for n in range(400))
        (tmp_path / f"trace{number}.log").write_text("".join(rows))
    asked = []

    def runs(jobs):
        asked.extend(jobs)
        return [Pinged(np.linspace(10, 15, 100)) for _ in jobs]

    found = half_trace.compute(tmp_path, Work(runs, no_scenes))
    # The air beside each number of stations, and three runs for each recording, in the order of their numbers.
    assert len(asked) == len(half_trace.STATIONS) + 3 * 3
    assert [job.label for job in asked[-3:]] == [
        f"trace10, {name}" for name in ("fixed", "rate replay", "trace replay")
    ]
    assert [row[0] for row in found.tables[1].rows] == ["trace1", "trace2", "trace10"]
    assert found.values["error of the first half itself"] == pytest.approx(0, abs=1e-9)
    assert found.values["share of recordings where Wi-Fi model beats rate replay"] == 0
    study = recorded_study("half-trace").about
    claims = judged(study, found.values)
    verdicts = {claim.id: finding.verdict for claim, finding in claims}
    assert verdicts["halves-alike"] == "holds"
    assert verdicts["air-before-rate"] == "differs"
    out = tmp_path / "report"
    write_recorded(study, found, claims, out, "airtcp study half-trace")
    assert {"report.md", "report.html", "results.json", "errors.svg", "example.png"} <= {
        f.name for f in out.iterdir()
    }
    assert (
        json.loads((out / "results.json").read_text())["recordings"]["trace1"]["predictors"]["fixed"]["loss"]
        == 0
    )
    assert "Claims: " in (out / "report.md").read_text()


def test_losses_of_a_grid_are_a_study(tmp_path, levels):
    del levels
    places = list(orbit_losses.SNRS)

    def scenes(plans):
        assert len({json.dumps(plan, sort_keys=True) for plan in plans}) == len(plans) == 8 * len(places)
        losses = [waterfall(places[n % len(places)]) for n in range(len(plans))]
        return [{"nics": [{"node": "a", "mpdus": 1000, "mpdus_lost": round(1000 * loss)}]} for loss in losses]

    found = orbit_losses.compute(tmp_path, Work(lambda _jobs: [], scenes))
    assert found.values["width measured"] == pytest.approx(3.2, abs=0.4)
    assert found.values["largest width beyond the air"] == pytest.approx(0, abs=0.4)
    claims = judged(recorded_study("orbit-losses").about, found.values)
    assert {finding.verdict for claim, finding in claims if claim.id != "not-sharper"} == {"holds"}
    assert len(found.tables[0].rows) == 1 + 2 * 8


def test_a_study_of_recordings_needs_its_folder(tmp_path):
    said = airtcp("study", "--list").stdout
    assert "orbit-losses" in said
    assert "(--data)" in said
    answers = (
        (("half-trace",), "Give --data FOLDER: Hairpin/wifi of SparkTraces"),
        (("half-trace", "--data", tmp_path / "none"), "there is no such folder"),
        (("half-trace", "--data", tmp_path), "has no trace*.log"),
        (("half-trace", "--data", tmp_path, "--quick"), "has no parts, levels, seeds or short form"),
        (("orbit-losses", "--data", tmp_path), "has no measurements"),
        (("aoyagi2023", "--data", tmp_path), "needs no recordings"),
    )
    for words, told in answers:
        answer = airtcp("study", *words, cwd=tmp_path)
        assert answer.returncode == 2
        assert told in answer.stderr


def test_a_claim_about_nothing_is_an_error():
    study = recorded_study("orbit-losses").about
    with pytest.raises(AirtcpError, match="computes no"):
        judged(study, {})
