"""Models of path loss by their names in configurations of wmediumd.

Free space: Friis (1946). Log-distance and log-normal shadowing: Rappaport, Wireless Communications (2002),
4.9. Two-ray ground: 4.6 there. ITU: Recommendation ITU-R P.1238, indoors.
"""

import math
import re
from dataclasses import dataclass

LIGHT_M_PER_S = 299_792_458.0
FREQUENCY_HZ = 2.412e9
"""Frequency of channel 1 in hertz: configurations of wmediumd have no frequencies."""
REFERENCE_M = 1.0
NEAREST_M = 0.1
# P.1238: distance power loss coefficient in an office at 2.4 GHz.
ITU_COEFFICIENT = 28.0


@dataclass
class Place:
    """A radio: where it is, and its antenna."""

    position_m: tuple[float, ...] = (0.0, 0.0, 0.0)
    tx_power_dbm: float = 14.0
    # Mininet-WiFi's own (`set_attrs` of its link.py): configurations of wmediumd have no gains, requests do.
    gain_dbi: float = 5.0
    height_m: float = 1.0
    shadowing_db: float = 0.0


@dataclass
class Model:
    """A model with its parameters."""

    name: str
    exponent: float = 3.0
    system_loss: float = 1.0
    floors: float = 0.0
    floor_loss_db: float = 0.0
    coefficient: float = 0.0

    @classmethod
    def of(cls, config: str) -> "Model":
        """The model of a configuration."""
        name = re.search(r'\bmodel_name\s*=\s*"(\w+)"', config)
        model = cls(name[1] if name else "log_distance")
        keys = {
            "path_loss_exp": "exponent",
            "sL": "system_loss",
            "nFLOORS": "floors",
            "lF": "floor_loss_db",
            "pL": "coefficient",
        }
        for key, field in keys.items():
            if found := re.search(rf"\b{key}\s*=\s*(-?\d+(?:\.\d+)?)\s*;", config):
                setattr(model, field, float(found[1]))
        return model

    def received_dbm(self, sender: Place, receiver: Place) -> float:
        """Mean power with which one receives the other."""
        distance_m = max(math.dist(sender.position_m, receiver.position_m), NEAREST_M)
        gains = sender.tx_power_dbm + sender.gain_dbi + receiver.gain_dbi
        return gains - self.loss_db(distance_m, sender, receiver)

    def loss_db(self, distance_m: float, sender: Place, receiver: Place) -> float:
        """Path loss over a distance."""
        if self.name == "free_space":
            return self._free_space_db(distance_m)
        if self.name == "two_ray_ground":
            wave_m = LIGHT_M_PER_S / FREQUENCY_HZ
            crossover_m = 4 * math.pi * sender.height_m * receiver.height_m / wave_m
            if distance_m < crossover_m:
                return self._free_space_db(distance_m)
            return 40 * math.log10(distance_m) - 20 * math.log10(sender.height_m * receiver.height_m)
        if self.name == "itu":
            coefficient = self.coefficient or ITU_COEFFICIENT
            megahertz = FREQUENCY_HZ / 1e6
            through_floors_db = self.floor_loss_db * self.floors
            return 20 * math.log10(megahertz) + coefficient * math.log10(distance_m) + through_floors_db - 28
        far_db = 10 * self.exponent * math.log10(distance_m / REFERENCE_M)
        return self._free_space_db(REFERENCE_M) + far_db + receiver.shadowing_db

    def _free_space_db(self, distance_m: float) -> float:
        wave_m = LIGHT_M_PER_S / FREQUENCY_HZ
        return 20 * math.log10(4 * math.pi * distance_m / wave_m) + 10 * math.log10(self.system_loss or 1.0)
