"""Sources of interference that are no Wi-Fi: microwave ovens, Bluetooth, radar."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from airtcp.scenario.keys.parts import Name, Part
from airtcp.scenario.values.units import (
    BandwidthKhz,
    CoordinateM,
    FrequencyMhz,
    LengthNs,
    PowerDbm,
    ReceivedDbm,
    TimeNs,
)

# What a kind stands for; keys that are written override it. Sources: docs/models/interference.md.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "microwave_oven": {
        "tx_power": "20 dBm",
        "frequency": "2455 MHz",
        "bandwidth": "20 MHz",
        "on": "8 ms",
        "period": "20 ms",
    },
    "bluetooth": {
        "tx_power": "4 dBm",
        "frequency": "2402 MHz",
        "last_frequency": "2480 MHz",
        "bandwidth": "1 MHz",
        "on": "366 us",
        "period": "1.875 ms",
    },
    "radar": {"bandwidth": "1 MHz", "on": "1 us", "period": "1428 us"},
    "on_off": {},
}


class Interferer(Part):
    """A source of interference that is no Wi-Fi: `[[interferer]]`."""

    kind: Literal["microwave_oven", "bluetooth", "radar", "on_off"]
    """Kind of the interferer. The first three have values for some of the other keys
    ([values and sources](../models/interference.md)); `on_off` has none.
    """
    name: Name | None = None
    """Name of the interferer; default: its kind."""
    rssi: ReceivedDbm | None = None
    """Received power over its whole bandwidth, at every radio; needed with `propagation = "rssi"`."""
    rssi_at: dict[Name, ReceivedDbm] = Field({})
    """Received power at some nodes, which have another than `rssi`."""
    tx_power: PowerDbm | None = None
    """Transmit power over its whole bandwidth; no effect where received power is given."""
    position: list[CoordinateM] | None = Field(None, min_length=2, max_length=3)
    """Position of the interferer; needed without `rssi`."""
    frequency: FrequencyMhz
    """Centre frequency."""
    last_frequency: FrequencyMhz | None = None
    """Highest centre frequency, with which the interferer hops: one from `frequency` to this one, in steps of
    `bandwidth`, is drawn for each burst.
    """
    bandwidth: BandwidthKhz
    """Bandwidth, over which its power is flat."""
    on: LengthNs
    """Length of a burst; with `off` its mean."""
    period: LengthNs | None = None
    """One burst in each period."""
    phase: TimeNs | None = None
    """With `period`: beginning of the first period; default: 0 s."""
    jitter: TimeNs | None = None
    """With `period`: bursts begin up to this long after their period, uniformly distributed; default: 0 s."""
    off: LengthNs | None = None
    """Instead of `period`: bursts and pauses have exponentially distributed lengths, and this is the mean of
    pauses.
    """

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, table: Any) -> Any:
        """Values of the kind, for keys that are not written."""
        if not isinstance(table, dict) or not isinstance(table.get("kind"), str):
            return table
        preset = dict(PRESETS.get(table["kind"], {}))
        if "off" in table:
            preset.pop("period", None)
        if "frequency" in table:
            preset.pop("last_frequency", None)
        if "rssi" in table:
            preset.pop("tx_power", None)
        return {**preset, **table}
