"""Radios: what each sent, and what became of it; and how the time of each medium was used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.metrics.utilisation import medium_use
from airtcp.quantities.radios import channel_shares
from airtcp.quantities.registry import QUANTITIES
from airtcp.report.table import Table


@dataclass(frozen=True)
class RadioRecord:
    """A radio, over the whole run."""

    node: str
    """Whose it is."""
    sent: int
    """Frames that it sent."""
    retries: int
    """Frames sent again."""
    collisions: int
    """Frames that collided with others."""
    corrupted: int
    """Frames that noise or interference corrupted."""
    dropped: int
    """Frames that it dropped, for all reasons together."""
    dropped_by: Mapping[str, int]
    """Likewise, by reason."""
    queued_most: int
    """Most frames that waited in it at a time."""
    airtime_share: float
    """Share of the time in which it sent."""
    channel_busy_share: float | None
    """Quantity `channel_busy`: share of the time in which it sent or found its channel busy; `null` where
    that was not sampled."""
    airtime_of_others_share: float | None
    """Quantity `airtime_of_others`: the part of it that is not of its own BSS."""


@dataclass(frozen=True)
class MediumRecord:
    """The cells on one primary channel: shares of its time, which add up to 1 (`metrics/utilisation.py`)."""

    frequency_mhz: float
    """Its centre frequency."""
    data: float
    """One PPDU with data or a beacon is on the air, undisturbed."""
    control: float
    """ACK, BlockAck, RTS, CTS, BlockAckReq, and the SIFS inside exchanges."""
    collision: float
    """PPDUs overlap, or the rest of such."""
    contention: float
    """Silence while somebody waits for access or for a response that does not come."""
    idle: float
    """Silence that nobody wanted to end."""


def medium_records(run: Run) -> list[MediumRecord]:
    """Each medium of which time passed."""
    used = ((medium["frequency_mhz"], medium_use(medium)) for medium in run.air_report["media"])
    return [
        MediumRecord(
            frequency_mhz=frequency,
            data=use.data,
            control=use.control,
            collision=use.collision,
            contention=use.contention,
            idle=use.idle,
        )
        for frequency, use in used
        if use is not None
    ]


def radio_records(run: Run) -> list[RadioRecord]:
    """Each radio."""
    length_ns = max(1, run.air_report.get("end_ns", 0) - run.plan.get("epoch_ns", 0))
    nics = run.air_report["nics"]
    loads = [channel_shares(run, nic) or (None, None) for nic in range(len(nics))]
    return [
        RadioRecord(
            node=nic["node"],
            sent=nic["sent"],
            retries=nic["retries"],
            collisions=nic["collisions"],
            corrupted=nic["corrupted"],
            dropped=sum(nic["dropped"].values()),
            dropped_by=dict(nic["dropped"]),
            queued_most=nic["queue_max"],
            airtime_share=nic["airtime_ns"] / length_ns,
            channel_busy_share=busy,
            airtime_of_others_share=of_others,
        )
        for nic, (busy, of_others) in zip(nics, loads, strict=True)
    ]


def radio_table(radios: Sequence[RadioRecord]) -> Table:
    """One row per radio."""
    counted = ("sent", "retries", "collisions", "corrupted", "dropped", "queued")
    any_load = any(radio.channel_busy_share is not None for radio in radios)
    shares = ("airtime", "channel_busy", "airtime_of_others")[: 3 if any_load else 1]
    columns = ("radio", *counted, *(QUANTITIES[name].label for name in shares))
    table = Table("Radios (frames; queued: the most at a time)", columns)
    for radio in radios:
        counts = (radio.sent, radio.retries, radio.collisions, radio.corrupted, radio.dropped)
        texts = (str(count) for count in (*counts, radio.queued_most))
        known = (radio.airtime_share, radio.channel_busy_share, radio.airtime_of_others_share)
        cells = ("-" if share is None else f"{share:.1%}" for share in known[: len(shares)])
        table.add(radio.node, *texts, *cells)
    return table
