"""Which radio transmitted when, in a short interval of a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airtcp.errors import AirtcpError
from airtcp.plots.gantt import PPDUS_MOST, Gantt, PlacedRu, Ppdu, prepare_gantt
from airtcp.quantities.run_view import RunView
from airtcp.report.run.figure import run_caption
from airtcp.wifi.ppdu import PPDU_KINDS, PPDU_OUTCOMES
from airtcp.wifi.resource_unit import ResourceUnit

if TYPE_CHECKING:
    import polars

# What `to` holds for a group address: u32::MAX (crates/air/src/trace/ppdu.rs).
_GROUP = 0xFFFF_FFFF
_OF_USERS: Sequence[str] = ("ru_tones", "ru_index", "width_mhz")
# A figure of this many shows each with room for its attempt.
PPDUS_SHOWN = 60


def run_gantt(view: RunView, stop_given: bool = True) -> Gantt:
    """The PPDUs of the window; too many for a figure, or none, is an `AirtcpError`.

    Without an end (`stop_given`) the interval holds `PPDUS_SHOWN`, from the window's start, or from the
    middle of a window that is the whole run.
    """
    frame = view.series("ppdus").sort("start_ns", "nic")
    interval_ns = (view.start_ns, view.stop_ns) if stop_given else _short_interval(view, frame)
    start_ns, stop_ns = interval_ns
    chosen = frame.filter((frame["start_ns"] < stop_ns) & (frame["end_ns"] > start_ns))
    if chosen.height > PPDUS_MOST:
        fitting_ns = chosen["start_ns"][PPDUS_MOST] - start_ns
        what = f"{chosen.height} PPDUs are too many for one figure, which shows {PPDUS_MOST} at most"
        example = f'--from "{start_ns / 1e9:.9g} s" --to "{(start_ns + fitting_ns * 0.9) / 1e9:.7g} s"'
        raise AirtcpError(what, str(view.run.folder), f"choose a shorter time, for example {example}")
    if not chosen.height:
        remedy = "choose another time with --from and --to"
        raise AirtcpError("no PPDU was on the air in this time", str(view.run.folder), remedy)
    caption = f"{run_caption(view)} Who was on the air; numbers are attempts."
    return prepare_gantt(view.radio_names, _ppdus(view, chosen), interval_ns, caption)


def _short_interval(view: RunView, frame: "polars.DataFrame") -> tuple[int, int]:
    start_ns = view.stop_ns // 2 if view.is_whole() else view.start_ns
    after = frame.filter((frame["end_ns"] > start_ns) & (frame["start_ns"] < view.stop_ns))
    return start_ns, int(after["start_ns"][PPDUS_SHOWN]) if after.height > PPDUS_SHOWN else view.stop_ns


def _placed(tones: int, index: int, width_mhz: int) -> PlacedRu:
    ru = ResourceUnit(tones, index, width_mhz)
    return PlacedRu(str(ru), *ru.span)


def _ppdus(view: RunView, frame: "polars.DataFrame") -> list[Ppdu]:
    columns = ["start_ns", "end_ns", "nic", "to", "kind", "attempt", "outcome"]
    # Runs of earlier versions had no users with resource units.
    of_users = [name for name in _OF_USERS if name in frame.columns]
    made = []
    for start_ns, end_ns, nic, to, kind, attempt, outcome, *of_user in frame.select(
        columns + of_users
    ).iter_rows():
        try:
            names = PPDU_KINDS[kind], PPDU_OUTCOMES[outcome]
            ru = _placed(*of_user) if of_user and of_user[0] else None
        except (IndexError, ValueError):
            what = f"holds a PPDU of kind {kind}, outcome {outcome} and resource unit {of_user}"
            raise AirtcpError(
                f"{what}: another version of airtcp wrote it",
                f"{view.run.folder}/series/ppdus.parquet",
                "run the scenario again",
            ) from None
        receiver = None if to == _GROUP else to
        made.append(Ppdu(start_ns, end_ns, nic, receiver, names[0], attempt, names[1], ru))
    return made
