"""airtcp's side of the comparison: a case as a scenario, and its result from `airtcp-runner air`."""

import itertools
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from airtcp.errors import AirtcpError
from airtcp.execution.locate import find_runner
from airtcp.plans.types.air_plan import PlanAir
from airtcp.report.explanation import payload_mbps
from airtcp.scenario.compile.compiler import compile_scene
from airtcp.scenario.compile.scene_plan import ScenePlan
from airtcp.scenario.reading.scenario_file import scenario_from_tables

from crosscheck.cases import NO_RTS_BYTES, Case, Category, Scene, Standard
from crosscheck.results import Result, Run, mean_of

STATION = "sta"
CATEGORY_NAMES: dict[Category, str] = {
    "BK": "background",
    "BE": "best_effort",
    "VI": "video",
    "VO": "voice",
}
# ns-3's AIFSN, CWmin, CWmax and TXOP limit in us (docs/models/crosscheck.md).
NS3_ACCESS: dict[Category, tuple[int, int, int, int]] = {
    "BK": (7, 15, 1023, 0),
    "BE": (3, 15, 1023, 0),
    "VI": (2, 7, 15, 4096),
    "VO": (2, 3, 7, 2080),
}
# Power ratio at which ns-3's SimpleFrameCaptureModel captures a later frame (attribute Margin).
CAPTURE_DB = 5
# A queue for each receiver, as in ns-3, that neither drops frames nor stops a source.
QUEUE = {
    "kind": "fq_codel",
    "packets": 1_000_000,
    "memory": "4 GB",
    "target": "1000 s",
    "interval": "1000 s",
    "airtime_fairness": False,
    "aql": "off",
}
# ns-3 detects preambles from here on (attribute MinimumRssi of its ThresholdPreambleDetectionModel).
SENSITIVITY_DBM = -82
# Longest A-MPDU that HE capabilities announce at 2.4 GHz (IEEE 802.11ax-2021, 9.4.2.248).
HE_AMPDU_2_4_GHZ_BYTES = 2**19 - 1
# Time for which a fading gain holds: less than the shortest PPDU, so that each PPDU has its own, as in ns-3.
COHERENCE = "20 us"
# MHz of a subchannel, and the difference of the numbers of two beside each other (IEEE 802.11-2020, Annex E).
SUBCHANNEL_MHZ, SUBCHANNEL_NUMBERS = 20, 4
# ns-3 announces no spacing of MPDUs.
WITHOUT_SPACING = {"start_spacing": "0 us"}
# Attempts, where ns-3 has no limit.
NO_LIMIT = 1_000_000
# Received power between stations that do not hear each other.
NO_PATH_DBM = -200
# How many times as long as ns-3 airtcp measures: it costs little, and the PPDUs at the ends of the measured
# time count less.
TIMES_AS_LONG = 5.0
# Runs a command and prints its cost. A process's peak memory includes that of the process it
# was forked from, and an interpreter without modules has less (9 MB) than a simulator.
COST_OF = """
import json, os, sys
started = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(started, 0)
cost = {"cpu_s": usage.ru_utime + usage.ru_stime, "peak_memory_mb": usage.ru_maxrss / 1024}
print(json.dumps(cost), file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""


class AirtcpUnavailable(Exception):
    """airtcp cannot run the case; the message states the reason."""


@dataclass(frozen=True)
class Computed:
    """The runner's report on a scene, and its cost including process start and warm-up."""

    report: dict[str, Any]
    cpu_s: float
    peak_memory_mb: float

    def sent(self, what: Literal["transmissions", "mpdus"]) -> int:
        """Data PPDUs, or MPDUs in them, including retransmissions, in the measured time."""
        return sum(nic[what] for nic in self.report["nics"])


def airtcp_result(case: Case, times_as_long: float = TIMES_AS_LONG) -> Result:
    """airtcp's result for the same scene and seeds, measured over a multiple of ns-3's time."""
    if case.scene.explicit_bar:
        raise AirtcpUnavailable(f"{case.name}: airtcp sends the MPDUs again after a lost BlockAck")
    seconds = case.scene.seconds * times_as_long
    scene = case.scene.model_copy(update={"seconds": seconds})
    return mean_of([airtcp_run(scene, seed) for seed in case.seeds], seconds)


def airtcp_run(scene: Scene, seed: int) -> Run:
    """One run. CPU time is that of the whole process, per second of all simulated time including warm-up."""
    plan = plan_of(scene, seed)
    computed = compute(plan)
    up, down = [0.0] * scene.stations, [0.0] * scene.stations
    nodes = [nic["node"] for nic in plan["air"]["nics"]]
    for planned, source in zip(plan["sources"], computed.report["sources"], strict=True):
        mbps = payload_mbps(source["throughput_bps"], planned["frame_bytes"])
        sender, receiver = nodes[planned["from"]], nodes[planned["to"]]
        if sender.startswith(STATION):
            up[int(sender.removeprefix(STATION)) - 1] = mbps
        else:
            down[int(receiver.removeprefix(STATION)) - 1] = mbps
    nics = computed.report["nics"]
    return Run(
        goodput_mbps=sum(up) + sum(down),
        up_mbps=up,
        down_mbps=down,
        failed_exchanges=sum(nic["collisions"] + nic["corrupted"] + nic["rts_failed"] for nic in nics),
        dropped_mpdus=sum(sum(nic["dropped"].values()) for nic in nics),
        cpu_s_per_s=computed.cpu_s / (scene.warmup_s + scene.seconds),
        peak_memory_mb=computed.peak_memory_mb,
    )


def compute(plan: ScenePlan) -> Computed:
    """Runs a compiled scene."""
    with tempfile.TemporaryDirectory(prefix="crosscheck-") as folder:
        file = Path(folder) / "plan.json"
        file.write_text(json.dumps(plan), encoding="utf-8")
        line = [sys.executable, "-ISc", COST_OF, str(find_runner()), "air", str(file)]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AirtcpUnavailable(f"{plan['name']}: {done.stdout.strip()} {done.stderr.strip()}")
    cost = json.loads(done.stderr.splitlines()[-1])
    return Computed(json.loads(done.stdout), **cost)


def plan_of(scene: Scene, seed: int) -> ScenePlan:
    """The compiled scene. Values that scenarios refuse, but this comparison needs, are set in the plan."""
    try:
        plan = compile_scene(scenario_from_tables(tables_of(scene, seed)))
    except AirtcpError as problem:
        raise AirtcpUnavailable(str(problem)) from problem
    set_retry_limits(plan["air"], scene)
    return plan


def set_retry_limits(air: PlanAir, scene: Scene) -> None:
    """Sets those of ns-3."""
    for cell in air["cells"]:
        cell["short_retry_limit"] = scene.retry_limit
        cell["long_retry_limit"] = scene.retry_limit
        cell["station_retry_limit"] = scene.retry_limit
        # ns-3 gives up no frame under block acknowledgement (attribute IncrementRetryCountUnderBa).
        cell["subframe_retry_limit"] = NO_LIMIT


def tables_of(scene: Scene, seed: int) -> dict[str, Any]:
    """The scenario, as if read from a TOML file."""
    cells = {f"cell{cell + 1}": _cell(scene, cell) for cell in range(scene.cells)}
    return {
        "name": "crosscheck",
        "seed": seed,
        "duration": f"{scene.warmup_s + scene.seconds:g} s",
        "warmup": f"{scene.warmup_s:g} s",
        "wifi": cells,
        "channel": _channel(scene),
        "source": _sources(scene),
    }


def _access_point(cell: int) -> str:
    return f"ap{cell + 1}"


def _stations(scene: Scene, cell: int) -> dict[str, int]:
    """The stations of a cell with their numbers; they are dealt round the cells."""
    return {f"{STATION}{number + 1}": number for number in range(cell, scene.stations, scene.cells)}


def _has_mcs(scene: Scene) -> bool:
    return scene.standard in ("11n", "11ac", "11ax")


def _standard_of_cell(scene: Scene, cell: int) -> Standard:
    """That of the access point; with several cells that of their one station: it alone sends data."""
    return scene.standard_of(cell) if scene.channels else scene.standard


def _cell(scene: Scene, number: int) -> dict[str, Any]:
    if scene.rts_rate not in (None, 2.0 if scene.standard == "11b" else 24.0):
        raise AirtcpUnavailable(
            f"RTS is sent at a basic rate of the comparison, not at {scene.rts_rate:g} Mbit/s"
        )
    no_rts = scene.rts_threshold_bytes == NO_RTS_BYTES
    width_mhz = _width_mhz(scene, number)
    cell: dict[str, Any] = {
        "access_point": _access_point(number),
        "stations": list(_stations(scene, number)),
        "standard": _standard_of_cell(scene, number),
        "band": f"{scene.band} GHz",
        "rate": _rate_of_access_point(scene, number),
        "nic_queue": QUEUE,
        "beacons": False,
        "qos": scene.qos or _has_mcs(scene),
        "basic_rates": _basic_rates(scene, no_rts),
        "txop_duration": False,
        "rts_threshold": "off" if no_rts else f"{scene.rts_threshold_bytes} B",
        "radio": {name: _radio(scene, number, station) for name, station in _stations(scene, number).items()},
    }
    if scene.channels:
        cell["channel"] = _primary_channel(scene, number)
    if _standard_of_cell(scene, number) == "11ax":
        # ns-3 has no packet extension.
        cell["nominal_packet_padding"] = "0 us"
    if _has_mcs(scene):
        cell["width"] = f"{width_mhz} MHz"
        cell["aggregation"] = _aggregation(scene)
    if scene.multi_user_stations:
        cell["multi_user"] = {
            "stations": scene.multi_user_stations,
            "acknowledgement": scene.multi_user_ack,
            "mu_rts": scene.mu_rts,
        }
        if scene.multi_user_uplink != "off":
            cell["multi_user"] |= {
                "uplink": True,
                "bsrp": scene.multi_user_uplink == "bsrp",
                "uplink_interval": "1 ms",
            }
    return cell | _access(scene)


def _rate_of_access_point(scene: Scene, cell: int) -> str | dict[str, Any]:
    """In cells of several generations, whose stations send, a rate control: one mode does not fit all."""
    if scene.station_standards and not scene.channels and _has_mcs(scene):
        return "minstrel_ht"
    rate = min(scene.rates) if "11b" in scene.station_standards else scene.rates[cell % len(scene.rates)]
    return _rate(scene, _standard_of_cell(scene, cell), rate)


def _radio(scene: Scene, cell: int, station: int) -> dict[str, Any]:
    """What a station has of its own."""
    standard = scene.standard_of(station)
    radio: dict[str, Any] = {"rate": _rate(scene, standard, scene.rates[station % len(scene.rates)])}
    return radio if standard == _standard_of_cell(scene, cell) else radio | {"standard": standard}


def _width_mhz(scene: Scene, cell: int) -> int:
    return scene.widths_mhz[cell % len(scene.widths_mhz)] if scene.channels else scene.width_mhz


def _primary_channel(scene: Scene, cell: int) -> int:
    """Number of the primary 20 MHz channel."""
    subchannels = _width_mhz(scene, cell) // SUBCHANNEL_MHZ
    # The centres of the outer subchannels are this far from that of the channel.
    lowest = scene.channels[cell] - SUBCHANNEL_NUMBERS * (subchannels - 1) // 2
    return lowest + SUBCHANNEL_NUMBERS * scene.primaries[cell % len(scene.primaries)]


def _basic_rates(scene: Scene, no_rts: bool) -> list[str]:
    """ns-3's; with RTS 24 Mbit/s alone: airtcp sends RTS before data with an MCS at the lowest basic rate.

    So it does with what asks several stations for their acknowledgements.
    """
    if scene.standard == "11b":
        return ["1 Mbit/s", "2 Mbit/s"]
    if "11b" in scene.station_standards:
        # ns-3 sends CTS-to-self at 1 Mbit/s; airtcp, as mac80211, at the highest basic rate up to the data's.
        return ["1 Mbit/s"]
    if _has_mcs(scene) and (scene.multi_user_stations or not no_rts):
        return ["24 Mbit/s"]
    return ["6 Mbit/s", "12 Mbit/s", "24 Mbit/s"]


def _rate(scene: Scene, standard: Standard, rate: float) -> str | dict[str, Any]:
    if standard in ("11b", "11g", "11a"):
        return f"{rate:g} Mbit/s"
    # The number of an HT-MCS counts the streams.
    mcs = int(rate) + (8 * (scene.streams - 1) if standard == "11n" else 0)
    return {"mcs": mcs, "streams": scene.streams, "guard_interval": f"{scene.guard_ns} ns"}


def _aggregation(scene: Scene) -> bool | dict[str, Any]:
    if not scene.ampdu_bytes and not scene.amsdu_bytes:
        return False
    ampdu_bytes = scene.ampdu_bytes
    if scene.standard == "11ax" and scene.band == "2.4":
        # ns-3 has one limit in every band, which its PPDUs do not reach here.
        ampdu_bytes = min(ampdu_bytes, HE_AMPDU_2_4_GHZ_BYTES)
    octets = {"ampdu": ampdu_bytes, "amsdu": scene.amsdu_bytes}
    limits = {name: f"{limit} B" if limit else "off" for name, limit in octets.items()}
    return {**limits, "window": scene.window_mpdus, "voice": True, **WITHOUT_SPACING}


def _access(scene: Scene) -> dict[str, Any]:
    """Channel access of ns-3, with the values that the scene changes."""
    if not (scene.qos or _has_mcs(scene)):
        if scene.aifsn not in (None, 2):
            raise AirtcpUnavailable(f"DCF has AIFSN 2, not {scene.aifsn}")
        windows = {"cw_min": scene.cw_min, "cw_max": scene.cw_max}
        return {name: value for name, value in windows.items() if value is not None}
    return {
        "access": {
            CATEGORY_NAMES[category]: {
                "aifsn": _chosen(scene.aifsn, aifsn),
                "cw_min": _chosen(scene.cw_min, cw_min),
                "cw_max": _chosen(scene.cw_max, cw_max),
                "txop": f"{_chosen(scene.txop_us, txop_us)} us",
            }
            for category, (aifsn, cw_min, cw_max, txop_us) in NS3_ACCESS.items()
        }
    }


def _chosen(value: int | None, default: int) -> int:
    return default if value is None else value


def _channel(scene: Scene) -> dict[str, Any]:
    """What is between the antennas."""
    channel: dict[str, Any] = {
        "sensitivity": f"{SENSITIVITY_DBM} dBm",
        "carrier_sense": f"{scene.cca_sensitivity_dbm:g} dBm",
        "energy_detection": f"{scene.energy_detection_dbm:g} dBm",
        # ns-3 senses the rest of a PPDU whose preamble was missed as it senses the preamble.
        "midpacket_detection": f"{scene.cca_sensitivity_dbm:g} dBm",
        "noise_figure": f"{scene.noise_figure_db:g} dB",
        "reception": "ideal" if scene.reception in ("collision", "header_collision") else scene.reception,
    }
    channel["capture"] = f"{CAPTURE_DB} dB" if scene.capture else "off"
    if scene.nakagami_m is not None:
        channel["fading"] = {"kind": "nakagami", "m": scene.nakagami_m, "coherence": COHERENCE}
    return channel | (_powers_of_cells(scene) if scene.channels else _powers(scene))


def _powers(scene: Scene) -> dict[str, Any]:
    """Stations hear each other as strongly as the access point hears the strongest, or not at all."""
    powers = scene.rss_dbm
    return {
        "rssi": f"{NO_PATH_DBM if scene.hidden else max(powers):g} dBm",
        "link": [
            _link([_access_point(0), name], powers[station % len(powers)])
            for name, station in _stations(scene, 0).items()
        ],
    }


def _powers_of_cells(scene: Scene) -> dict[str, Any]:
    """One power within every cell, one between nodes of different cells, one between access points."""
    links = []
    for cell in range(scene.cells):
        nodes = [_access_point(cell), *_stations(scene, cell)]
        power = scene.rss_dbm[cell % len(scene.rss_dbm)]
        links += [_link(list(pair), power) for pair in itertools.combinations(nodes, 2)]
    if scene.access_points_dbm is not None:
        access_points = [_access_point(cell) for cell in range(scene.cells)]
        links += [
            _link(list(pair), scene.access_points_dbm) for pair in itertools.combinations(access_points, 2)
        ]
    return {"rssi": f"{scene.between_dbm:g} dBm", "link": links}


def _link(between: list[str], rssi_dbm: float) -> dict[str, Any]:
    return {"between": between, "rssi": f"{rssi_dbm:g} dBm"}


def _sources(scene: Scene) -> list[dict[str, Any]]:
    return [
        source
        for cell in range(scene.cells)
        for name, station in _stations(scene, cell).items()
        for source in _sources_of(scene, _access_point(cell), name, station)
    ]


def _sources_of(scene: Scene, access_point: str, name: str, station: int) -> list[dict[str, Any]]:
    source: dict[str, Any] = {"payload": f"{scene.payload_bytes} B"}
    if scene.qos or _has_mcs(scene):
        category = scene.access_categories[station % len(scene.access_categories)]
        source["access_category"] = CATEGORY_NAMES[category]
    sources = []
    direction = scene.direction[station % len(scene.direction)]
    if direction in ("up", "both"):
        sources.append(source | {"from": name, "to": access_point})
    if direction in ("down", "both"):
        sources.append(source | {"from": access_point, "to": name})
    return sources
