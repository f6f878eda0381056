"""The scenes that both airtcp and ns-3 compute, read from TOML."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Numbers = Annotated[list[float], BeforeValidator(lambda value: value if isinstance(value, list) else [value])]
Whole = Annotated[list[int], BeforeValidator(lambda value: value if isinstance(value, list) else [value])]
Category = Literal["BE", "BK", "VI", "VO"]
Standard = Literal["11b", "11a", "11g", "11n", "11ac", "11ax"]
Standards = Annotated[
    list[Standard], BeforeValidator(lambda value: value if isinstance(value, list) else [value])
]
Direction = Literal["up", "down", "both"]
Directions = Annotated[
    list[Direction], BeforeValidator(lambda value: value if isinstance(value, list) else [value])
]
Categories = Annotated[
    list[Category], BeforeValidator(lambda value: value if isinstance(value, list) else [value])
]

# RTS is used before larger PSDUs only; none is larger (ns-3's maximum).
NO_RTS_BYTES = 4_692_480


class Scene(BaseModel):
    """Infrastructure cells under saturated traffic: every value that decides their goodput.

    All nodes are at one place, and every station is received by the access point, and the access point by
    it, with the same power. Lists are dealt round the stations. With `channels` there are several cells, on
    channels that may overlap; stations are dealt round the cells, and lists of cells as well.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    standard: Standard
    station_standards: Standards = Field(default=[], description="none: that of the access point")
    band: Literal["2.4", "5", "6"]
    stations: int = 1
    direction: Directions = ["up"]
    rates: Numbers = Field(default=[54.0], description="Mbit/s in 11b/a/g, MCS of one stream in 11n/ac/ax")
    rts_rate: float | None = Field(default=None, description="Mbit/s of RTS; none: 24, in 11b 2")
    width_mhz: int = 20
    channels: Whole = Field(
        default=[], description="number of the centre of each cell's channel; none: one cell"
    )
    widths_mhz: Whole = Field(default=[20], description="of each cell; in place of `width_mhz`")
    primaries: Whole = Field(default=[0], description="primary 20 MHz of each cell, counted from below")
    between_dbm: float = Field(default=-30.0, description="received power between nodes of different cells")
    access_points_dbm: float | None = Field(
        default=None, description="received power between access points; none: `between_dbm`"
    )
    streams: int = 1
    guard_ns: int = 800
    rts_threshold_bytes: int = NO_RTS_BYTES
    ampdu_bytes: int = Field(default=0, description="largest A-MPDU; 0: no A-MPDU")
    amsdu_bytes: int = Field(default=0, description="largest A-MSDU; 0: no A-MSDU")
    window_mpdus: int = Field(default=64, description="BlockAck window")
    payload_bytes: int = Field(default=1472, description="of a UDP datagram over IPv4")
    access_categories: Categories = ["BE"]
    txop_us: int | None = Field(default=None, description="of every category; none: ns-3's default")
    aifsn: int | None = None
    cw_min: int | None = None
    cw_max: int | None = None
    qos: bool = Field(default=False, description="EDCA in 11b/a/g; from 11n on always")
    retry_limit: int = Field(
        default=7,
        description="attempts for a frame that is not under block acknowledgement, and failures in a "
        "row after which the contention window is CWmin again",
    )
    explicit_bar: bool = Field(
        default=False,
        description="after a missing BlockAck ask for it with a BlockAckReq; else send the MPDUs again",
    )
    reception: Literal["collision", "header_collision", "table", "nist"] = Field(
        default="collision",
        description="in ns-3; collision: headers are read, overlapped data is lost; header_collision: "
        "overlapped headers are lost too, and with them the rest of the PPDU (airtcp has this for both); "
        "table: ns-3's error rates; nist: the formula, which both have",
    )
    capture: bool = Field(default=False, description="a receiver turns to a much stronger later frame")
    preamble_sinr_db: float = Field(
        default=-100.0,
        description="below it a preamble is not seen, and who did not see it waits for DIFS, not EIFS",
    )
    rss_dbm: Numbers = [-30.0]
    hidden: bool = Field(default=False, description="stations do not hear each other")
    cca_sensitivity_dbm: float = Field(default=-82.0, description="a PPDU makes the medium busy from here on")
    energy_detection_dbm: float = Field(default=-62.0, description="anything else does so from here on")
    noise_figure_db: float = 7.0
    nakagami_m: float | None = Field(
        default=None,
        description="each PPDU has its own gain at each receiver, of this shape; none: no fading",
    )
    multi_user_stations: int = Field(
        default=0, description="most stations in a PPDU of the access point; 0: single-user only"
    )
    multi_user_ack: Literal["sequential", "mu_bar", "aggregated_mu_bar"] = Field(
        default="sequential", description="how stations acknowledge a PPDU that they share"
    )
    mu_rts: bool = Field(default=False, description="MU-RTS in place of RTS before PPDUs to several stations")
    multi_user_uplink: Literal["off", "basic", "bsrp"] = Field(
        default="off",
        description="trigger frames for uplinks, also 1 ms after the last access: none, Basic, BSRP first",
    )
    tcp_window_bytes: int = Field(
        default=0, description="TCP flows with this window between access point and stations; 0: datagrams"
    )
    warmup_s: float = 0.3
    seconds: float = 2.0

    @property
    def cells(self) -> int:
        """Number of cells."""
        return max(1, len(self.channels))

    def standard_of(self, station: int) -> Standard:
        """The standard of a station, counted from 0."""
        standards = self.station_standards or [self.standard]
        return standards[station % len(standards)]


class Case(BaseModel):
    """A scene with a name."""

    model_config = ConfigDict(frozen=True)

    name: str
    scene: Scene
    seeds: list[int]
    quick: bool = False
    variant_of: str | None = Field(
        default=None, description="main case of which this is the same scene by another definition"
    )


def read_cases(file: Path) -> list[Case]:
    """The cases of a grid file, in its order."""
    grid = tomllib.loads(file.read_text(encoding="utf-8"))
    cases: list[Case] = []
    for group in grid["group"]:
        for entry in group["cases"]:
            cases.append(_case(group, dict(entry), grid["seeds"]))
    return cases


def _case(group: dict[str, Any], entry: dict[str, Any], seeds: list[int]) -> Case:
    name = f"{group['name']}: {entry.pop('name')}"
    main = entry.pop("variant_of", None)
    return Case(
        name=name,
        quick=entry.pop("quick", False),
        variant_of=f"{group['name']}: {main}" if main else None,
        seeds=seeds,
        scene=Scene(**(group["scene"] | entry)),
    )
