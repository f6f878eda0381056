"""airtcp's Minstrel-HT against minstrel_ht of the kernel in real guests, on one air: some scenes of the study minstrel-ht."""

from pathlib import Path

import airtcp
import pytest
from support.mac80211_scenarios import run

pytestmark = pytest.mark.guest

SCENE = Path(__file__).parents[2] / "studies" / "minstrel-ht" / "one-station.toml"
WIDE = 'standard = "11ac"\nwidth = "80 MHz"\nstreams = 2\n'


def measured(folder, control, rssi_dbm, link):
    text = SCENE.read_text().replace('duration = "8 s"', 'duration = "6 s"')
    text = text.replace('rate = "kernel"', f'rate = "{control}"').replace('"-74 dBm"', f'"{rssi_dbm} dBm"')
    if link == "wide":
        text = text.replace('standard = "11n"\n', WIDE).replace(
            "[channel]\n", '[channel]\nnoise_figure = "1 dB"\n'
        )
    made = run(folder / control, text)
    wanted = {"throughput": {}, "chosen_rate": {"node": "ap1"}, "upward_probes": {"node": "ap1"}}
    return {of: airtcp.number(made, of, skip="2 s", **arguments) for of, arguments in wanted.items()}


@pytest.mark.parametrize(
    ("rssi_dbm", "link"), [(-82, "narrow"), (-78, "narrow"), (-70, "narrow"), (-74, "wide"), (-62, "wide")]
)
def test_both_find_rates_of_the_same_worth(tmp_path, rssi_dbm, link):
    kernel, ours = (measured(tmp_path, control, rssi_dbm, link) for control in ("kernel", "minstrel_ht"))
    # The study holds means of three seeds to 10 %; seeds of the kernel's own differ by 4 % from their mean.
    assert ours["throughput"] == pytest.approx(kernel["throughput"], rel=0.15)
    assert ours["chosen_rate"] == pytest.approx(kernel["chosen_rate"], rel=0.15)
    if rssi_dbm == -70 and link == "narrow":
        # Both have reached the fastest rate of all, and have nothing to probe.
        assert ours["upward_probes"] == kernel["upward_probes"] == 0
    elif link == "narrow":
        # At most one in 20 ms, and the kernel's begin anew with every interval of 52 ms: 3 in it.
        assert 0 < ours["upward_probes"] <= 60
        assert 0 < kernel["upward_probes"] <= 60
