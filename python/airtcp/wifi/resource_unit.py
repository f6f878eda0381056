"""Resource units: the parts of a width that users of a PPDU have (IEEE 802.11ax-2021, 27.3.2.2)."""

from dataclasses import dataclass

from airtcp.wifi.standard import wifi_table


@dataclass(frozen=True)
class ResourceUnit:
    """A resource unit within a width; `index` counts those of its size, from 1 at the lowest frequency on.

    One that the width does not have is a `ValueError`.
    """

    tones: int
    index: int
    width_mhz: int

    def __post_init__(self) -> None:
        if not 1 <= self.index <= self.count:
            raise ValueError(f"{self.width_mhz} MHz have no RU {self}")

    @property
    def count(self) -> int:
        """How many of its size the width has."""
        by_width = wifi_table()["ru_counts"].get(str(self.tones), {})
        return int(by_width.get(str(self.width_mhz), 0))

    @property
    def span(self) -> tuple[float, float]:
        """Where it begins and ends, as shares of the width."""
        return (self.index - 1) / self.count, self.index / self.count

    def __str__(self) -> str:
        """Its size and number: `52/2`."""
        return f"{self.tones}/{self.index}"
