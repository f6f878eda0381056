"""Radio interfaces: what a cell sets for all of its radios, and what single ones have different."""

from typing import Literal

from pydantic import Field

from airtcp.scenario.keys.aggregation import AggregationSetting
from airtcp.scenario.keys.card import CardName, HardwareQueueSetting, HostDelay, RxInterrupt, TxInterrupt
from airtcp.scenario.keys.mode import examples
from airtcp.scenario.keys.nic_queue import NicQueue
from airtcp.scenario.keys.parts import Part, written
from airtcp.scenario.keys.queue import Queue
from airtcp.scenario.keys.rate_control import Rate
from airtcp.scenario.keys.standard_name import StandardName
from airtcp.scenario.values.units import CoordinateM, GuardNs, PowerDbm, ReceivedDbm, TimeNs, WidthMhz


class RadioSettings(Part):
    """Settings of a radio interface; set for a cell they hold for all of its radios."""

    rate: Rate | None = Field(
        None,
        description=f"Mode of unicast data frames: {examples('`')}; "
        "or the rate control: `arf`, `aarf`, `cara`, `minstrel`, `minstrel_ht`, `ideal`, `kernel`, or a "
        "table with parameters. Default: the fastest rate of 11b, 11g and 11a, `minstrel_ht` in newer "
        "standards, as in Linux; `kernel` in cells of mac80211 whose modes its rate control supports.",
    )
    streams: int | None = Field(None, ge=1, le=8)
    """Spatial streams at most; default: as many as a fixed `rate` of the cell needs, else 1."""
    antennas: int | None = Field(None, ge=1, le=8)
    """Antennas, with tapped delay lines (`[channel.fading]`): all of them receive, the first ones send
    streams. At least `streams`, which is the default.
    """
    guard_interval: GuardNs | None = None
    """Shortest guard interval, 400 or 800 ns (11ax, 11be: 800, 1600 or 3200 ns); default: 800 ns, or the
    shorter one of a fixed `rate` of the cell. Of two radios the longer one holds.
    """
    he_ltf: Literal["1x", "2x", "4x"] | None = None
    """HE long training field of 11ax: `1x` with a guard interval of 800 ns, `2x` with 800 and 1600 ns, `4x`
    with 800 and 3200 ns. The radio uses no other guard interval then. Default: `2x`, and `4x` with 3200 ns,
    which every receiver supports.
    """
    nominal_packet_padding: Literal["0 us", "8 us", "16 us", "20 us"] | None = None
    """Time that the radio needs to decode what it receives in 11ax and 11be, so that PPDUs to it end with a
    packet extension of up to this; `20 us` in 11be only. Default: `16 us`, as Linux's drivers ask for;
    `0 us` in older standards.
    """
    tx_power: PowerDbm = written("20 dBm")
    """Transmit power over all antennas; no effect where received power is given."""
    queue: Queue | None = None
    """Queue of the kernel above the radio: packets, an amount of data, words of `tc`, or `none`. Default:
    `"1000 packets"`, and `"none"` above `nic_queue = "fq_codel"`, as mac80211 has it.
    """
    nic_queue: NicQueue | None = None
    """Queue inside the radio: `"64 packets"` (drop-tail, the frame on the air included), `"fq_codel"` with
    airtime fairness, `"direct"` (one aggregate; the queue above queues), or a table. Default: `"64 packets"`
    in 11b, 11g and 11a, `"fq_codel"` in newer standards, as in Linux.
    """
    aggregation: AggregationSetting | None = None
    """A-MPDU and A-MSDU: `true`, `false`, or a table. Default: A-MPDU with the limits of the standard from
    11n on, no A-MSDU.
    """
    delivery: Literal["ppdu_end", "mpdu_end"] | None = None
    """When the frames of an aggregate reach the card's memory: all at the end of the PPDU, or each at the
    end of its own MPDU, as in simulators. Default: `ppdu_end`, and `mpdu_end` with `card = "ath9k"`.
    """
    card: CardName = "none"
    """The card: `none` (ideal), `ath9k` (AR9300 and later), `ath9k_ar9002`, `ath10k`, `ath11k`, `mt76`,
    `iwlwifi` or `rtw89`. It sets `rx_interrupt`, `tx_interrupt`, `hardware_queue`, `gro` and `delivery`, the
    defaults of `aql` and `airtime_fairness`, and with ath9k that of `ampdu_time`, as far as the sources of
    Linux say them; each can be given beside it.
    """
    rx_interrupt: RxInterrupt | None = None
    """Interrupt moderation on reception: `{ after_first = "2 ms", after_last = "500 us", frames = 128 }`, or
    `"off"`. What one interrupt brings is one poll of the host. Default: as `card` has it.
    """
    tx_interrupt: TxInterrupt | None = None
    """Interrupt moderation of transmit completions, before which the host does not free its frames: a table
    as `rx_interrupt` has it, `"with_rx"` (they take part in that of reception), or `"off"`. Default: as
    `card` has it.
    """
    hardware_queue: HardwareQueueSetting | None = None
    """Queue of the hardware or firmware below the driver, for each access category: `{ ppdus = 1 }`,
    `{ frames = 224 }`, `{ airtime = "4 ms" }`, or `"off"`. What is in it has left the queues above. Default:
    as `card` has it; in cells of mac80211 without a card `prefetch`.
    """
    host_delay: HostDelay | None = None
    """Delay of the host from an interrupt, of reception or of completions, to its poll:
    `{ fixed = "20 us", jitter = { lognormal = "50 us", sigma = 1 } }`. Default: none.
    """
    backpressure: bool = True
    """A full radio queue stops the queue above it, as real drivers do; `false`: it drops, as the interface
    queue of a simulator does. `fq_codel` never stops it.
    """
    bql: bool | None = None
    """Byte queue limits between the kernel's queue and the radio's; default: `true`, and `false` with
    `fq_codel`, as mac80211 has none.
    """
    gro: bool | None = None
    """Generic receive offload; default: `false`, and as the driver has it with a `card`. Merged super-packets
    count as one in every queue behind, so a limit in packets would mean something else.
    """
    rx_copy: bool | None = None
    """Frames arrive in fresh buffers, as from hardware, and as much memory is charged to the receiver (large
    payloads are nevertheless shared by reference); `false`: in the sender's memory, of which mac80211 copies
    the headers, that it rewrites. Default: `true`, and `false` in cells of mac80211.
    """
    pacing_shift: int = Field(7, ge=0, le=10)
    """TCP small queues: a socket may have 2^-shift seconds of its rate below it. mac80211 sets 7 (about 8
    ms), TCP's own value is 10 (about 1 ms).
    """


class Waypoint(Part):
    """A place at a time: `waypoints = [{ time = "5 s", position = ["3 m", "0 m"] }]`."""

    time: TimeNs
    """Time at which the radio is there."""
    position: list[CoordinateM] = Field(min_length=2, max_length=3)
    """Position, two or three coordinates."""


class Radio(RadioSettings):
    """What one radio has different from its cell, and where it is."""

    standard: StandardName | None = None
    """Standard of a station, `11b` to `11be` as far as the band has it; default: that of its cell, which is
    its access point's. Two radios use the older of their standards towards each other.
    """
    width: WidthMhz | None = None
    """Channel width of a station, with the primary 20 MHz of its cell; default: that of the cell, as far as
    the station's `standard` has it.
    """
    rssi: ReceivedDbm | None = None
    """A station's received power from and at its access point (`propagation = "rssi"`)."""
    position: list[CoordinateM] | None = Field(None, min_length=2, max_length=3)
    """Place of the antenna, for example `["3 m", "0 m"]`, with a height of 0 m or `["3 m", "0 m", "1.5 m"]`;
    default: the origin. No effect where received power is given.
    """
    waypoints: list[Waypoint] = Field([])
    """Way of the radio, in straight lines from one point to the next; before the first it is at `position`,
    after the last it stays.
    """
