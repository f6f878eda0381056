"""Modes: one format, one MCS or rate, with all its parts, and how that is written."""

from dataclasses import dataclass

# By the number that records have (`tx_format` of the series `stations`).
FORMATS = ("HR/DSSS", "OFDM", "HT", "VHT", "HE", "EHT", "DMG")
# Formats whose modes are rates.
LEGACY_FORMATS = FORMATS[:2]
# MCS of HT count the streams in, eight for each number of them (IEEE 802.11-2020, 19.5).
HT_MCS_PER_STREAM = 8


@dataclass(frozen=True)
class Mode:
    """A mode with everything explicit: a rate, or an MCS (HT: that of one stream) with all its parts."""

    format: str
    rate_bps: int = 0
    mcs: int = 0
    streams: int = 1
    width_mhz: int = 20
    guard_ns: int = 800

    def __str__(self) -> str:
        """As the model writes modes (`phy/tx_vector_name.rs`): `OFDM 54 Mbit/s`, `HE-MCS 7 x2 80 MHz`."""
        if self.format in LEGACY_FORMATS:
            return f"{self.format} {self.rate_bps / 1e6:g} Mbit/s"
        if self.format == "DMG":
            return f"DMG-MCS {self.mcs}"
        counted = self.format == "HT"
        number = self.mcs + HT_MCS_PER_STREAM * (self.streams - 1) if counted else self.mcs
        streams = f" x{self.streams}" if self.streams > 1 and not counted else ""
        guard = {400: " SGI", 800: ""}.get(self.guard_ns, f" GI {self.guard_ns} ns")
        return f"{self.format}-MCS {number}{streams} {self.width_mhz} MHz{guard}"
