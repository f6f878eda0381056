"""The radio side of a plan.

Generated from the runner's schema by `tools/generated_types.py`; `make generated` writes it.
"""

from typing import Any, NotRequired, TypedDict


class PlanAccess(TypedDict):
    """Channel access of one access category, or of DCF."""

    aifsn: int
    """Slots after SIFS before backoff counts (AIFSN; DCF: 2)."""
    cw_min: int
    """Smallest contention window; one less than a power of two."""
    cw_max: int
    """Largest contention window; one less than a power of two."""
    txop_us: int
    """TXOP limit; 0: one exchange."""


class PlanBeacon(TypedDict):
    """Beacons of a cell: their airtime is modelled, not their content."""

    interval_us: int
    """Time between beacons (100 TU are 102400 us)."""
    bytes: int
    """Length of the frame with header and FCS."""


class PlanRadioChannel(TypedDict):
    """A channel: its primary 20 MHz and the whole of it."""

    primary_mhz: int
    """Centre of the primary 20 MHz channel (of the whole channel in 11ad)."""
    centre_mhz: int
    """Centre of the whole channel."""
    width_mhz: int
    """Width of the channel in MHz: 20, 40, 80, 160, 320, or 2160 in 11ad."""


# Authentication and encryption of a network. `kind`: open, wpa2, wpa3.
PlanSecurity = dict[str, Any]


class PlanLinuxBss(TypedDict):
    """A further basic service set: a network of its own on the radio of the cell's access point."""

    interface: str
    """Name of the set's interface at the access point."""
    ssid: str
    """Name of the network."""
    security: PlanSecurity
    """Authentication and encryption."""
    bridge: str
    """The bridge of the access point's node whose port that interface is."""
    isolated: bool
    """The access point forwards no frames between its stations (`ap_isolate` of hostapd)."""
    stations: list[int]
    """Numbers of the NICs of the cell that are its stations."""


class PlanLinuxTxq(TypedDict):
    """Limits of the queues that all stations of a radio share (`struct fq`); `null`: mac80211's own."""

    limit_packets: int | None
    """Most packets (`NL80211_ATTR_TXQ_LIMIT`)."""
    memory_bytes: int | None
    """Most bytes (`NL80211_ATTR_TXQ_MEMORY_LIMIT`)."""
    quantum_bytes: int | None
    """Quantum of a flow in bytes (`NL80211_ATTR_TXQ_QUANTUM`)."""


class PlanLinux(TypedDict):
    """Settings of a cell whose radios are radios of mac80211. Its NICs are numbered as all others, and
    wiphy `airN` of the guest is NIC N. Of an `AirNic` such a radio has no queue, no mesh routes and
    no backpressure of its own: those are mac80211's.
    """

    setup: str
    """What sets up the network."""
    security: PlanSecurity
    """Authentication and encryption."""
    ssid: str
    """Name of the network (mesh ID of a mesh). Cells with the same one are one extended service set."""
    rate_control: str
    """Where rate control runs."""
    airtime_fairness: bool
    """Airtime deficit round robin between stations (`NL80211_EXT_FEATURE_AIRTIME_FAIRNESS`)."""
    aql: bool
    """Airtime queue limits (`NL80211_EXT_FEATURE_AQL`)."""
    prefetch_ppdus: int
    """PPDUs that a radio holds ready beside the one on the air, per access category; 0: what is sent is
    pulled from mac80211 when the medium is won.
    """
    beacon_tu: int
    """Time between beacons, in time units of 1024 us."""
    dtim: int
    """Beacons from one DTIM to the next."""
    power_save: bool
    """Stations sleep between beacons."""
    uapsd: bool
    """Automatic power save delivery that frames of the station start (IEEE 802.11-2020, 11.2.3.5)."""
    hardware_crypto: bool
    """True: encryption costs octets on the air and no computing, as a NIC with hardware for it."""
    txq: PlanLinuxTxq
    """Limits of mac80211's queues."""
    hostapd: list[str]
    """Lines for the end of hostapd's configuration."""
    wpa_supplicant: list[str]
    """Lines for the `network` block of `wpa_supplicant`'s configuration."""
    bss: NotRequired[list[PlanLinuxBss]]
    """Further basic service sets of the access point's radio, which hostapd makes."""


class PlanMuEdca(TypedDict):
    """MU EDCA parameters of an access category (IEEE 802.11ax-2021, 9.4.2.251 and 26.2.7)."""

    aifsn: int
    """Slots after SIFS before backoff counts; 0: the category does not contend."""
    cw_min: int
    """Smallest contention window; one less than a power of two."""
    cw_max: int
    """Largest contention window; one less than a power of two."""
    timer: int
    """How long they hold, in units of 8 time units of 1024 us, from 1 to 255."""


class PlanRandomAccess(TypedDict):
    """Uplink OFDMA random access (UORA; IEEE 802.11ax-2021, 26.5.4)."""

    rus: int
    """Random access resource units (RA-RUs) of each trigger frame."""
    ocw_min: int
    """Smallest OFDMA contention window (`OCWmin`); one less than a power of two, to 127."""
    ocw_max: int
    """Largest OFDMA contention window (`OCWmax`); one less than a power of two, to 127."""


class PlanUplink(TypedDict):
    """PPDUs with which several stations answer a trigger frame of their access point (IEEE
    802.11ax-2021, 26.5.2).
    """

    bsrp: bool
    """Whether the access point asks for the stations' buffer status first (BSRP trigger frame)."""
    interval_us: int
    """Microseconds after its last access to the medium at which it asks stations, if it had nothing to
    send itself; 0: never.
    """
    report_lifetime_us: int
    """Microseconds for which the access point goes by a station's report of its buffer status."""
    mu_edca: NotRequired[list[PlanMuEdca] | None]
    """How stations contend for some time after they have sent data in answer to a trigger frame, in the
    order background, best effort, video, voice; absent: as always.
    """
    random_access: NotRequired[PlanRandomAccess | None]
    """Resource units of each trigger frame for stations that it does not name; absent: there are none."""
    target_rssi_dbm: float | None
    """Power with which it wants to receive each station, in dBm; `null`: stations send with all of their
    power.
    """


class PlanMultiUser(TypedDict):
    """PPDUs of the access point to several stations at once, each in a resource unit (IEEE
    802.11ax-2021, 27.3.1.1; IEEE 802.11be, 36.3.1).
    """

    scheduler: str
    """Who decides which stations share a PPDU, and in which resource units."""
    stations: int
    """Most stations of a PPDU, from 2."""
    acknowledgement: str
    """How the stations acknowledge what they were sent."""
    mu_rts: bool
    """Whether MU-RTS, which all stations of a PPDU answer at once, takes the place of RTS before it."""
    uplink: NotRequired[PlanUplink | None]
    """PPDUs of several stations to the access point at once, when it asks for them; absent: stations
    send for themselves only.
    """


class PlanCell(TypedDict):
    """One basic service set."""

    name: str
    """Name of the cell (SSID)."""
    kind: str
    """An access point with stations, or equal stations."""
    standard: str
    """Newest PHY of its members, but of those that have one of their own; of an infrastructure cell that
    of the access point.
    """
    channel: PlanRadioChannel
    """Channel of the cell. Cells whose channels overlap, or leak into each other, share a medium."""
    bandwidth_operation: str
    """What NICs of the cell do when a part of the channel beside the primary 20 MHz is busy."""
    slot: str
    """Slot time at 2.4 GHz."""
    short_preamble: bool
    """The short preamble of HR/DSSS."""
    protection: str
    """How OFDM frames at 2.4 GHz are protected from 11b stations."""
    ht_protection: str
    """How PPDUs with an MCS are protected where a member is older or narrower."""
    basic_rates_bps: list[int]
    """Rates every member can receive; control responses use them (IEEE 802.11-2020, 10.6.6.5)."""
    group_rate_bps: int
    """Rate of group-addressed frames and beacons; one of the basic rates."""
    access: list[PlanAccess]
    """Channel access: one entry for DCF, four for EDCA in the order background, best effort, video,
    voice. Of an infrastructure cell, what the access point announces to its stations.
    """
    short_retry_limit: int
    """Attempts for frames up to the RTS threshold (dot11ShortRetryLimit)."""
    long_retry_limit: int
    """Attempts for longer frames (dot11LongRetryLimit)."""
    subframe_retry_limit: int
    """Attempts for an MPDU under block acknowledgement, whatever its length."""
    station_retry_limit: int
    """Failures in a row that widen the contention window of an access function; the next returns it to
    `CWmin` (the limit of QSRC; IEEE 802.11-2020, 10.23.2.2).
    """
    txop_duration: bool
    """Whether HE and EHT PPDUs name the duration of their TXOP in the header, so that NICs which do not
    decode the rest set a NAV (IEEE 802.11ax-2021, 26.2.4).
    """
    rts_threshold_bytes: int
    """PSDUs longer than this many octets begin with RTS and CTS (dot11RTSThreshold)."""
    rts_policy: str
    """What else begins with RTS and CTS."""
    beacon_access: str
    """How beacons gain access to the medium."""
    ap_access: list[PlanAccess] | None
    """Channel access of the access point itself, as many entries; `null`: as `access`."""
    beacon: PlanBeacon | None
    """Beacons; `null`: none are sent, or they are frames of mac80211."""
    block_ack_req_retry_limit: int | None
    """Attempts for a `BlockAckReq`; `null`: as for other frames of its length."""
    linux: PlanLinux | None
    """The kernel's mac80211 as upper half of the MAC; `null`: airtcp's own."""
    multi_user: NotRequired[PlanMultiUser | None]
    """PPDUs of its access point to several stations at once; absent: every PPDU has one receiver."""
    rts_retry_limit: int | None
    """RTS frames without CTS for one MPDU, counted apart from attempts with data; `null`: each counts as
    an attempt.
    """
    rts_threshold_us: int | None
    """Data PPDUs longer than this begin with RTS and CTS; `null`: there is no such limit."""


class PlanFadingTap(TypedDict):
    """A tap of one's own."""

    delay_ns: float
    """Delay in nanoseconds."""
    power_db: float
    """Power relative to the other taps."""
    k_db: float | None
    """Power of its constant part over that of the changing one; `null`: all of it changes."""
    speed_mps: float | None
    """Speed for this tap alone, in metres per second; `null`: that of all."""


# Delays and powers of tapped delay lines. `kind`: tgn, taps.
PlanFadingProfile = dict[str, Any]


# Fading: block fading, whose gain is flat and drawn anew after each coherence time, or tapped delay lines.
# `kind`: none, rayleigh, rician, nakagami, tapped.
PlanFading = dict[str, Any]


# Bursts of an interferer, from the epoch on. `kind`: periodic, random.
PlanEmissionPattern = dict[str, Any]


class PlanReceivedEmission(TypedDict):
    """Power of an interferer at a NIC."""

    nic: int
    """The NIC."""
    rssi_dbm: float
    """Received power over the whole bandwidth."""


# Power of an interferer. `kind`: received, sent.
PlanEmissionPower = dict[str, Any]


class PlanInterferer(TypedDict):
    """A source that emits power without a preamble, in bursts: a microwave oven, Bluetooth, radar."""

    name: str
    """Name of the interferer, for people."""
    power: PlanEmissionPower
    """How strong it is at the NICs."""
    bandwidth_khz: int
    """Bandwidth, over which its power is flat."""
    centres_khz: list[int]
    """Centre frequencies; of several it draws one for each burst (frequency hopping)."""
    pattern: PlanEmissionPattern
    """Times at which the interferer emits."""


# A fixed loss of data MPDUs in one direction.
PlanLinkLoss = TypedDict(
    "PlanLinkLoss",
    {
        "from": int,
        "to": int,
        "loss": float,
    },
)


class PlanRssiLink(TypedDict):
    """Received power between two NICs."""

    a: int
    """One NIC."""
    b: int
    """The other NIC of the pair."""
    rssi_dbm: float
    """Received power, in both directions."""


class PlanWall(TypedDict):
    """A vertical wall over a line on the ground."""

    from_m: list[float]
    """One end of its line."""
    to_m: list[float]
    """The other end of the wall's line, in metres."""
    height_m: list[float]
    """Lower and upper edge."""
    loss_db: float
    """Loss of a ray that crosses it."""


class PlanFloor(TypedDict):
    """Walls of a building."""

    walls: list[PlanWall]
    """The walls."""


# How strongly a NIC is received by another, on average. `kind`: rssi, free_space, log_distance, two_ray,
# itu_indoor, multi_wall.
PlanPropagation = dict[str, Any]


# When a frame that met no collision is lost. `kind`: ideal, table, nist.
PlanReception = dict[str, Any]


class PlanShadowing(TypedDict):
    """Log-normal shadowing: one value per link for a place, the same in both directions."""

    sigma_db: float
    """Standard deviation."""
    decorrelation_m: float
    """Distance after which a moving NIC meets new obstacles (Gudmundson, 1991: correlation falls as
    exp(-d / this)).
    """


class PlanTracePoint(TypedDict):
    """One point of a recording; `null` leaves a quantity to the other models."""

    time_ns: int
    """Time of the point, from the epoch."""
    loss: float | None
    """Probability that a data MPDU is lost."""
    rate_bps: int | None
    """Fastest rate that the sender uses towards the receiver."""
    rssi_dbm: float | None
    """Received power."""


# A recording of a link.
PlanLinkTrace = TypedDict(
    "PlanLinkTrace",
    {
        "from": int,
        "to": int,
        "repeat": bool,
        "points": list[PlanTracePoint],
    },
)


class PlanChannel(TypedDict):
    """Propagation and reception."""

    propagation: PlanPropagation
    """Mean received power."""
    fading: PlanFading
    """Fast variation by multipath propagation (fading)."""
    traces: list[PlanLinkTrace]
    """Links whose power, loss or rate follow a recording."""
    reception: PlanReception
    """Frame loss."""
    losses: list[PlanLinkLoss]
    """Fixed loss of data frames, in addition to losses of reception."""
    interferers: list[PlanInterferer]
    """Sources of interference that are no NICs."""
    carrier_sense_dbm: float
    """Weakest PPDU of a NIC that one exchanges no frames with that makes the medium busy (preamble
    detection).
    """
    sensitivity_dbm: float
    """Weakest PPDU that a receiver can synchronise to. PPDUs of NICs that one exchanges frames with
    (access point and stations, mesh stations) make the medium busy from here on.
    """
    energy_detection_dbm: float
    """Weakest power of any kind in its primary 20 MHz that makes the medium busy for a NIC (energy
    detection; IEEE 802.11-2020, 17.3.10.6). At least `carrier_sense_dbm`.
    """
    midpacket_detection_dbm: float
    """Weakest power of a PPDU in the primary 20 MHz that makes the medium busy for a NIC which missed
    its preamble. No more than `energy_detection_dbm` counts.
    """
    preamble_detection_ns: int
    """Time in which a receiver detects a preamble (IEEE 802.11-2020, 17.3.10.6: 4 us); of PPDUs that
    start within it the strongest is received. More than 0, at most 16 us.
    """
    noise_figure_db: float
    """Noise figure of every receiver over thermal noise."""
    update_ns: int
    """Time between updates of positions. (Traces change at their own times.)"""
    capture_db: float | None
    """A PPDU at least this much stronger than all others together at a receiver survives, and a stronger
    one that starts later is received instead of the first; `null`: a receiver stays with the first,
    and with ideal reception whatever overlaps is lost.
    """
    shadowing: PlanShadowing | None
    """Slow variation by obstacles (shadowing)."""


class PlanAggregation(TypedDict):
    """Aggregation and block acknowledgement."""

    ampdu_bytes: int
    """Most octets of an A-MPDU; 0: no A-MPDU (but perhaps A-MSDU)."""
    ampdu_us: int
    """Longest PPDU that carries an A-MPDU (at most 5484 us; ath9k uses 4000)."""
    block_ack_window: int
    """MPDUs in the block acknowledgement window: up to 64, HE 256, EHT 1024."""
    start_spacing_ns: int
    """Least time between the starts of two MPDUs of an A-MPDU to this receiver: 0, 250, 500, 1000, 2000,
    4000, 8000 or 16000.
    """
    amsdu_bytes: int
    """Most octets of an A-MSDU; 0: none."""
    amsdu_frames: int
    """Most frames in an A-MSDU; 0: as many as fit."""
    voice: bool
    """Whether frames of access category voice go under block acknowledgement, too."""


# How much leaves the queues above before the medium is won. `kind`: ppdus, frames, airtime.
PlanHardwareQueueSize = dict[str, Any]


class PlanHardwareQueue(TypedDict):
    """What leaves the queues above before the medium is won."""

    size: PlanHardwareQueueSize
    """How much."""
    aggregates: str
    """When the aggregates of the queue are formed."""


# How a number is drawn each time it is needed. The key that holds it names its unit. The drawn value is
# rounded to a whole number. `kind`: constant, exponential, uniform, lognormal, pareto.
PlanVariate = dict[str, Any]


class PlanHostDelay(TypedDict):
    """The delay of a host between interrupt and poll: the sum of both. What the card has meanwhile joins
    the poll.
    """

    fixed_ns: int
    """The part that is always the same."""
    jitter_ns: PlanVariate | None
    """The part that is drawn for each poll, in nanoseconds; `null`: none."""


class PlanModerationLoad(TypedDict):
    """The load of a NIC from which on interrupts are moderated, as drivers measure it: at the end of
    each period the octets of data that arrived in it and those that were sent in it, each as a moving
    average in which every period counts as much as all before.
    """

    above_bps: int
    """One of both must be above this."""
    every_ns: int
    """Length of a period. Periods begin at multiples of it."""


class PlanInterruptModeration(TypedDict):
    """Interrupt moderation: the interrupt comes when the first of these conditions holds."""

    after_first_ns: int | None
    """Time since the first frame that waits."""
    after_last_ns: int | None
    """Time since the last frame that waits."""
    frames: int | None
    """Frames that wait."""
    load: PlanModerationLoad | None
    """The load below which there is no moderation; `null`: it acts always."""


# The interrupt that completes frames which have been sent or given up. `kind`: with_reception, own.
PlanTxInterrupt = dict[str, Any]


class PlanCard(TypedDict):
    """The card of a NIC, and the host behind it. All `null`: an ideal card."""

    airtime_fairness: bool | None
    """Whether the driver of a radio of mac80211 asks for airtime fairness; `null`: as its cell has it."""
    aql: bool | None
    """Whether the driver of a radio of mac80211 asks for airtime queue limits; `null`: as its cell has
    it.
    """
    hardware_queue: PlanHardwareQueue | None
    """The queue of the hardware or firmware below the driver, of each access category; `null`: none, or
    `prefetch_ppdus` of a cell of mac80211.
    """
    host_delay: PlanHostDelay | None
    """Time from an interrupt to the poll in which the host handles it; `null`: none."""
    rx_interrupt: PlanInterruptModeration | None
    """When received frames raise an interrupt; `null`: at once."""
    tx_interrupt: PlanTxInterrupt | None
    """When frames that have been sent or given up raise an interrupt, at which the host completes them;
    `null`: at once.
    """


class PlanMeshRoute(TypedDict):
    """A next hop: frames for `to` go over `via`."""

    to: int
    """Number of the NIC at the end."""
    via: int
    """Number of the neighbour that is next."""


class PlanPhyOptions(TypedDict):
    """Options of the PPDUs that a radio sends; `null`: the default of the standard or of the model."""

    he_ltf: str | None
    """HE-LTF of its HE PPDUs, whose guard interval must be one of this HE-LTF; `null`: the shortest that
    every receiver supports, 2x, and 4x with a guard interval of 3200 ns.
    """


class PlanSlowStationCodel(TypedDict):
    """`CoDel` towards a station with a low expected throughput, without ECN (`sta_update_codel_params`
    of `net/mac80211/sta_info.c` up to Linux 6.12.34).
    """

    below_kbps: int
    """A station is slow if rate control expects less than this for each station of the radio, in kbit/s
    (Linux: 6000).
    """
    target_us: int
    """Target delay (Linux: 50 ms)."""
    interval_us: int
    """Interval in which the delay must fall below the target once (Linux: 300 ms)."""


# The queues of airtcp's high MAC. `kind`: fifo, fq_codel, direct.
PlanNicQueue = dict[str, Any]


# How a PPDU is modulated. `kind`: legacy, mcs.
PlanMode = dict[str, Any]


# A rate control and its parameters. `kind`: fixed, arf, aarf, cara, minstrel, minstrel_ht, ideal.
PlanRateControl = dict[str, Any]


class PlanWaypoint(TypedDict):
    """A position at a time."""

    time_ns: int
    """Time at which the antenna is there, from the epoch."""
    position_m: list[float]
    """Position, in metres."""


class PlanNic(TypedDict):
    """One radio interface."""

    node: str
    """The node it belongs to."""
    mac: str
    """Hardware address; equal to that of the node's interface."""
    role: str
    """Role of the NIC in its cell."""
    cell: int
    """Number of its cell."""
    streams: int
    """Spatial streams at most."""
    antennas: int
    """Antennas, at least as many as `streams`, of which the first ones send. More of them gain under
    tapped delay lines, and have no effect otherwise.
    """
    guard_ns: int
    """Shortest guard interval it uses (400: short, 800: long; HE and EHT: 800, 1600, 3200)."""
    nominal_packet_padding_us: int
    """Nominal packet padding that it asks for as a receiver: 0, 8 or 16; EHT also 20; 0 in formats
    without packet extension.
    """
    phy_options: PlanPhyOptions
    """Options of its PPDUs."""
    rate_control: PlanRateControl
    """How the rate of unicast data frames is chosen."""
    queue: PlanNicQueue
    """The queues between the kernel's queueing discipline and the air."""
    delivery: str
    """When the frames of an aggregate reach this receiver's host."""
    card: PlanCard
    """What is between the air and the host's network stack."""
    mesh_routes: list[PlanMeshRoute]
    """Next hops of a mesh station to stations that are not its neighbours."""
    tx_power_dbm: float
    """Transmit power."""
    position_m: list[float]
    """Position of the antenna at the start, in metres."""
    waypoints: list[PlanWaypoint]
    """Waypoints of the antenna, between which it moves in straight lines, in the order of time. Before
    the first it is at `position_m`, after the last it stays there.
    """
    backpressure: bool
    """True: a full queue stops the qdisc above (a real driver). False: a full queue drops (a bare drop-
    tail interface queue, as simulators have).
    """
    bql: bool
    """Byte queue limits between qdisc and NIC."""
    gro: bool
    """Generic receive offload."""
    rx_copy: bool
    """Frames are received into fresh buffers, as hardware does, and charged to the receiver as such
    (true), or handed over with the sender's memory (false).
    """
    pacing_shift: int
    """TCP small queues: log2 of the share of a second of its pacing rate that a socket may have below it
    (`tx_sk_pacing_shift` of mac80211; TCP's own is 10).
    """
    access: list[PlanAccess] | None
    """Channel access of its own, as many entries as its cell has; `null`: its cell's."""
    aggregation: PlanAggregation | None
    """A-MPDU and A-MSDU; `null`: none."""
    standard: str | None
    """Its newest PHY; `null`: that of its cell."""
    width_mhz: int | None
    """Width in MHz of the part of the cell's channel, with the primary one, that it uses; `null`: all of
    it.
    """


class PlanAir(TypedDict):
    """Cells, NICs and the channel between them."""

    cells: list[PlanCell]
    """Basic service sets, numbered by their place."""
    nics: list[PlanNic]
    """Radio interfaces, numbered by their place."""
    channel: PlanChannel
    """What happens between antennas."""
