"""The tools that hold airtcp against recordings, with recordings made for the test."""

import random

import numpy as np
import pytest
from recorded.half_trace import Half, Prediction, error, halves, quantiles, wifi_prediction
from recorded.orbit_losses import FRAMES, LEVELS, blurred, bursts, crossing, curve, measure, read_level


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
    samples = {
        0: (np.full(100, 1.0), 0.0),
        2: (np.linspace(1, 6, 100), 0.0),
        8: (np.linspace(1, 60, 100), 0.0),
    }
    made = wifi_prediction(first, samples)
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
    with pytest.raises(SystemExit, match="line 2 has no sequence number and RSSI"):
        read_level(tmp_path / LEVELS[0])
    with pytest.raises(SystemExit, match="has no measurements"):
        read_level(tmp_path / "other")
