"""Quantities of stations that roam, of a made-up run: by hand from what mac80211 and the air would have recorded.

sta1 is with ap1 until 3 s, with nobody at 4 s, with ap2 from 5 s on; sta2 is with ap1 until 5 s. ap1 keeps its
entry of sta1. A sample is taken each second of 8 s.
"""

from types import SimpleNamespace

import numpy as np
from airtcp.quantities.roaming import NOBODY, Association, Handover, handovers_of, with_gaps

S, MS = 1_000_000_000, 1_000_000
AP1, STA1, STA2, AP2 = range(4)
CELL = '[wifi.{name}]\nmac = "linux"\nssid = "campus"\nstandard = "11n"\nchannel = {channel}\nstations = {some}\n'
SCENARIO = (
    'name = "walk"\nduration = "8 s"\n'
    + CELL.format(name="east", channel=36, some='["sta1", "sta2"]')
    + CELL.format(name="west", channel=149, some="[]")
    + '[[wire]]\nbetween = ["ap1", "sw"]\n[[wire]]\nbetween = ["ap2", "sw"]\n'
    + '[sampling]\nstations = "1 s"\n'
)
# Radio, its peer, from and to in s.
SEEN = (
    (STA1, AP1, 1, 3),
    (STA1, AP2, 5, 8),
    (STA2, AP1, 1, 5),
    (AP1, STA1, 1, 8),
    (AP1, STA2, 1, 5),
    (AP2, STA1, 5, 8),
)


class Samples:
    """A run of 8 s with a sample each second."""

    run = SimpleNamespace(end_ns=8 * S)

    def interval_ns(self, _):
        return S


def with_nobody(*times_s):
    times = (np.array(times_s) * S).astype(np.int64)
    found = with_gaps(Samples(), times, np.zeros(times.size, np.int64), NOBODY)
    return dict(zip((found[0] / S).tolist(), found[1].tolist(), strict=True))


def test_a_sample_without_an_entry_is_no_association():
    assert with_nobody(1, 2, 3, 5, 6) == {1: 0, 2: 0, 3: 0, 4: NOBODY, 5: 0, 6: 0, 7: NOBODY}
    # Programs on real machines are late now and then.
    assert NOBODY not in with_nobody(1, 2.4, 3.4, 4.6, 5.6, 6.8).values()
    assert with_nobody() == {1: NOBODY}


def test_to_lose_an_access_point_and_find_it_again_is_no_handover():
    own = Association(1, np.array([1, 2, 3, 4, 5]) * S, np.array([0, NOBODY, 0, NOBODY, 3]))
    assert handovers_of(own) == [Handover(3 * S, 5 * S, 0, 3)]
    assert own.at(np.array([0, S, 2 * S + 1, 9 * S])).tolist() == [NOBODY, 0, NOBODY, 3]
