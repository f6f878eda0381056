"""Cells: an access point and its stations, a mesh, or an IBSS."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.scenario.keys.channel_access import (
    AccessCategory,
    AccessSettings,
    ApAccessSettings,
    ContentionWindow,
)
from airtcp.scenario.keys.linux_cell import LinuxSettings
from airtcp.scenario.keys.mesh import MeshRoute, Peerings
from airtcp.scenario.keys.multi_user import MultiUser
from airtcp.scenario.keys.parts import Name, written
from airtcp.scenario.keys.radio import Radio, RadioSettings
from airtcp.scenario.keys.standard_name import StandardName
from airtcp.scenario.values.units import AMOUNT, AmountBytes, FrequencyMhz, MacTimeUs, RateBps, WidthMhz

# dot11RTSThreshold: off, as cfg80211 has it (`wiphy->rts_threshold = (u32) -1`).
RTS_OFF_BYTES = 2**32 - 1


def _rts_threshold(value: Any) -> Any:
    if value == "off":
        return RTS_OFF_BYTES
    if value in ("0 B", "always"):
        return 0
    return AMOUNT.read(value)


def _without(value: Any) -> Any:
    return None if value == "off" else value


RtsThreshold = Annotated[int, BeforeValidator(_rts_threshold), Field(le=RTS_OFF_BYTES), AMOUNT]


# A segment is a /24; some of its addresses are for access points, servers and switches.
STATIONS_MOST = 250


class WifiCell(RadioSettings, LinuxSettings):
    """An access point and its stations, or equal stations: `[wifi.NAME]`."""

    mac: Literal["airtcp", "linux"] = "airtcp"
    """Upper half of the MAC: airtcp's own, or mac80211 of the guest's kernel, with what [`mac =
    "linux"`](#wifiname-with-mac--linux) has beside.
    """
    kind: Literal["infrastructure", "mesh", "ibss"] = "infrastructure"
    """`infrastructure`: an access point and stations. `mesh`: equal stations that forward for each other,
    with four addresses and static routes (HWMP in cells of mac80211). `ibss`: equal stations that do not
    forward, in cells of mac80211.
    """
    access_point: Name | None = None
    """Node that is the access point; default: `ap1` in the first cell..."""
    stations: list[Name] = Field(max_length=STATIONS_MOST)
    """Nodes that are its stations; or their number: `3` means `sta1`, `sta2`, `sta3`; the next cell with a
    number goes on from there. None may be in a cell to which those of another one with its `ssid` roam.
    """
    peerings: Peerings = written("all")
    """Peerings of a mesh: `"all"`, `"chain"` (each to the one before and after it in `stations`), or pairs:
    `[["m1", "m2"], ["m2", "m3"]]`. Others are reached over the fewest hops.
    """
    route: list[MeshRoute] = Field([])
    """Mesh routes that differ from those: `[[wifi.NAME.route]]`."""
    standard: StandardName = "11g"
    """`11b`, `11g`, `11a`, `11n`, `11ac`, `11ax`, `11be` or `11ad`: that of the access point, and of all
    stations without one of their own (`[wifi.NAME.radio.NODE] standard`).
    """
    band: Literal["2.4 GHz", "5 GHz", "6 GHz", "60 GHz"] | None = None
    """Default: as the channel number says; without one 2.4 GHz in 11b and 11g, 60 in 11ad, else 5."""
    channel: int | None = None
    """Number of the primary 20 MHz channel; default: 1 at 2.4 GHz, 36 at 5 GHz, 1 at 6 GHz, 2 at 60 GHz."""
    frequency: FrequencyMhz | None = None
    """Centre of the primary channel, instead of `channel`."""
    width: WidthMhz | None = None
    """Width of the channel; default: the widest of a fixed `rate` of the cell, else what every station of the
    standard has: 20 MHz, from 11ac on 80 MHz (20 MHz at 2.4 GHz), 2160 MHz in 11ad.
    """
    centre_channel: int | None = None
    """Number of the centre of a wider channel where there are two: 40 MHz at 2.4 GHz (default: the secondary
    channel above) and 320 MHz (default: 31, 95 or 159 if possible).
    """
    bandwidth_operation: Literal["dynamic", "static"] = "dynamic"
    """What a station does when a part of its channel beside the primary 20 MHz is busy (IEEE 802.11-2020,
    10.23.2.5): `dynamic`: it sends in the widest part that is idle; `static`: it waits until all are.
    """
    slot: Literal["long", "short"] | None = None
    """Slot at 2.4 GHz: 20 us or 9 us; default: short, long in 11b and where 11b stations are."""
    preamble: Literal["long", "short"] = "long"
    """Preamble of HR/DSSS frames (hostapd: long)."""
    protection: Literal["automatic", "none", "cts_to_self", "rts_cts"] = "automatic"
    """How OFDM frames at 2.4 GHz are protected from 11b stations. Automatic: CTS-to-self, as mac80211, if
    there is a radio of 11b in the cell or a cell of 11b on its channel.
    """
    ht_protection: Literal["none", "cts_to_self", "rts_cts"] = "none"
    """What PPDUs of 11n and newer begin with where a member of the cell can't receive them: all of them
    where a station has no 11n, those of 40 MHz and more where one has 20 MHz. With `none` their header and
    the acknowledgement at a basic rate protect them, as with mac80211 and `minstrel_ht`; firmware of iwlwifi
    and hardware of mt76x2 send RTS.
    """
    basic_rates: list[RateBps] | None = Field(None, min_length=1)
    """Rates every member receives; control responses use them (IEEE 802.11-2020, 10.6.6.5). Default
    as hostapd's: 1 and 2 Mbit/s in 11b, 1, 2, 5.5 and 11 Mbit/s at 2.4 GHz, else 6, 12 and 24 Mbit/s.
    """
    group_rate: RateBps | None = None
    """Rate of beacons, broadcast and multicast frames; default: the slowest basic rate."""
    short_retry_limit: int = Field(7, ge=1, le=255)
    """Attempts for frames up to the RTS threshold (Linux: 7)."""
    long_retry_limit: int = Field(4, ge=1, le=255)
    """Attempts for longer frames (Linux: 4)."""
    subframe_retry_limit: int = Field(30, ge=1, le=1000)
    """Attempts for a frame under block acknowledgement, whatever its length. ath9k has 30, mt76 and the older
    iwlwifi 15, mt7615 12, ns-3 7.
    """
    station_retry_limit: int | None = Field(None, ge=1, le=1000)
    """Failures in a row that widen the contention window of an access category; the next returns it to CWmin
    (QSRC[AC]; IEEE 802.11-2020, 10.23.2.2). Default: `short_retry_limit`, as in the standard. ath9k has 32.
    """
    rts_retry_limit: int | None = Field(None, ge=1, le=255)
    """RTS frames without CTS after which a frame is given up. Default: each counts as an attempt with the
    frame. iwlwifi with rate control in the driver has 60, mt7603 15, ath9k 10.
    """
    block_ack_req_retry_limit: int | None = Field(None, ge=1, le=255)
    """Attempts for a BlockAckReq; default: `short_retry_limit`. mt7603 and rtw88 have 1."""
    txop_duration: bool = True
    """Whether 11ax and 11be PPDUs name the duration of their TXOP in the header. Radios of these standards
    that decode the header and not the rest then set a NAV for it, in place of EIFS (IEEE 802.11ax-2021,
    26.2.4).
    """
    rts_threshold: RtsThreshold = written("off")
    """Frames longer than this begin with RTS and CTS: an amount of data, `"off"`, or `"always"`."""
    rts_duration_threshold: MacTimeUs | None = Field(None, ge=1)
    """PPDUs longer than this begin with RTS and CTS. rtw89: 64 us."""
    rts_policy: Literal["rate_control", "threshold", "retries", "aggregates"] = "rate_control"
    """What begins with RTS and CTS beside what is longer than a threshold. `rate_control`: what rate control
    asks for, as in mac80211 (`minstrel_ht`: all but the first stage of its chain; `cara`: its probes).
    `threshold`: nothing; without a threshold, then, there is no RTS. `retries`: PPDUs that begin with a
    retransmission (ath10k, ath11k). `aggregates`: A-MPDUs with two MPDUs or more (mt76). With the kernel's
    rate control only `rate_control`.
    """
    multi_user: Annotated[MultiUser | None, BeforeValidator(_without)] = None
    """PPDUs of an access point of 11ax or 11be to several stations at once: the name of a scheduler, as in
    `multi_user = "round_robin"`, or `[wifi.NAME.multi_user]`. `"off"`, the default: every PPDU has one
    receiver.
    """
    qos: bool | None = None
    """EDCA with four access categories (`true`) or DCF (`false`); default: EDCA from 11n on, which has no
    DCF.
    """
    cw_min: ContentionWindow | None = None
    """aCWmin; one less than a power of two; default: 15, in 11b 31."""
    cw_max: ContentionWindow = 1023
    """aCWmax; one less than a power of two."""
    access: dict[AccessCategory, AccessSettings] = Field({})
    """Settings of single access categories: `[wifi.NAME.access.voice]`."""
    ap_access: dict[AccessCategory, ApAccessSettings] = Field({})
    """What the access point itself uses: `[wifi.NAME.ap_access.best_effort]`."""
    beacons: bool | None = None
    """Beacons take their airtime; default: `true` from 11n on, else `false`; none in 11ad."""
    beacon_interval: MacTimeUs = Field(written("100 TU"), ge=1024, le=65535 * 1024)
    """Time between beacons (hostapd: 100 TU)."""
    beacon_length: AmountBytes | None = None
    """Length of a beacon with header and FCS; default: by the elements that an open network of the standard
    announces.
    """
    beacon_access: Literal["pifs", "edca"] | None = None
    """How beacons gain access to the medium. `pifs`: after PIFS, without backoff, as ath9k, ath5k and ns-3
    send them. `edca`: before the other frames of voice (with DCF: of all), with its backoff, as the standard
    has it. Default: `pifs`; in an IBSS, where the stations take turns by chance, there is only `edca`.
    """
    radio: dict[Name, Radio] = Field({})
    """Settings of single radios: `[wifi.NAME.radio.NODE]`."""
