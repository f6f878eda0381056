"""What a wall takes from a ray that crosses it, by its material.

A wall is layers of one material. A layer of thickness d loses, at normal incidence,

    2 * -10 log10(1 - R) + A d,   R = ((sqrt(e) - 1) / (sqrt(e) + 1))^2,   A = 1636 s / sqrt(e) dB/m

with the relative permittivity e and the conductivity s = c f^g S/m at f GHz of Recommendation ITU-R P.2040-3
(2023), table 3 and section 2.1: reflection at both faces, and attenuation between them. Waves that go to and
fro between the faces are left out: whether they add or cancel depends on millimetres. Measured walls
differ by a few dB, because they are not homogeneous.
"""

import math
from dataclasses import dataclass

from airtcp.wifi.standard import GHZ_2_4, GHZ_5, GHZ_6, GHZ_60

# The frequency of a band at which materials are taken, in GHz: its middle.
BAND_GHZ = {GHZ_2_4: 2.45, GHZ_5: 5.5, GHZ_6: 6.5, GHZ_60: 60.5}
# A = 1636 s / sqrt(e): ITU-R P.2040-3, 2.1.2, for dielectrics of low loss.
_ATTENUATION = 1636.0


@dataclass(frozen=True)
class Material:
    """A row of table 3 (e, c, g, up to which frequency), and a usual wall of it."""

    permittivity: float
    conductivity: float
    exponent: float
    most_ghz: float
    thickness_m: float
    layers: int
    what: str

    def loss_db(self, ghz: float, thickness_m: float) -> float:
        """Loss of a wall whose layers have this thickness, in dB."""
        root = math.sqrt(self.permittivity)
        reflected = ((root - 1) / (root + 1)) ** 2
        conductivity = self.conductivity * math.pow(ghz, self.exponent)
        layer_db = -20 * math.log10(1 - reflected) + _ATTENUATION * conductivity / root * thickness_m
        return self.layers * layer_db


MATERIALS = {
    "plasterboard": Material(2.73, 0.0085, 0.9395, 100, 0.0125, 2, "a stud wall of two boards of 12.5 mm"),
    "brick": Material(3.91, 0.0238, 0.16, 40, 0.115, 1, "11.5 cm, half a brick"),
    "concrete": Material(5.24, 0.0462, 0.7822, 100, 0.15, 1, "15 cm"),
    "glass": Material(6.31, 0.0036, 1.3394, 100, 0.004, 2, "two uncoated panes of 4 mm"),
    "wood": Material(1.99, 0.0047, 1.0718, 100, 0.04, 1, "4 cm, a solid door"),
    "chipboard": Material(2.58, 0.0217, 0.78, 100, 0.019, 2, "two boards of 19 mm"),
    "plywood": Material(2.71, 0.33, 0.0, 40, 0.012, 1, "12 mm"),
    "marble": Material(7.074, 0.0055, 0.9262, 60, 0.03, 1, "3 cm"),
}
# What people also call them. Plaster on brick or concrete is thin beside the wall: name the wall.
SYNONYMS = {"plaster": "plasterboard", "drywall": "plasterboard", "gypsum": "plasterboard", "door": "wood"}


def wall_loss_db(material: str, band: str, thickness_m: float | None) -> float:
    """Loss of a wall in this band, rounded to 0.01 dB; `ValueError` beyond the frequencies of its row."""
    row = MATERIALS[material]
    ghz = BAND_GHZ[band]
    if ghz > row.most_ghz:
        raise ValueError(f"ITU-R P.2040-3 has {material} up to {row.most_ghz:g} GHz only")
    return round(row.loss_db(ghz, row.thickness_m if thickness_m is None else thickness_m), 2)
