"""PPDUs to several stations and triggered uplinks, for random scenarios.

They have a chance of their own and come to a scenario when it is drawn, as stations of other generations do.
"""

from random import Random
from typing import Any, get_args

from airtcp.scenario.keys.multi_user import MultiUserSettings

from observation.scenarios import Tables, if_legal

SCHEDULERS, ACKNOWLEDGEMENTS = (
    get_args(MultiUserSettings.model_fields[key].annotation) for key in ("scheduler", "acknowledgement")
)
MU_EDCA = [
    True,
    {"timer": "16.384 ms"},
    {"timer": "8.192 ms", "best_effort": {"aifsn": 5, "cw_min": 31, "cw_max": 1023}},
]


def with_multi_user(seed: int, tables: Tables) -> Tables:
    """The scenario of a seed whose cells of 11ax and 11be may share PPDUs among stations, down and up."""
    dice = Random(f"multi-user of {seed}")
    for name, cell in tables["wifi"].items():
        multi_user = _multi_user(dice)
        if cell["standard"] in ("11ax", "11be") and dice.random() < 0.7:
            tables = if_legal(tables, {"wifi": {name: {"multi_user": multi_user}}})
    return tables


def _multi_user(dice: Random) -> dict[str, Any]:
    keys: dict[str, Any] = {
        "scheduler": dice.choice(SCHEDULERS),
        "stations": dice.choice([2, 3, 4, 8]),
        "acknowledgement": dice.choice(ACKNOWLEDGEMENTS),
        "mu_rts": dice.random() < 0.3,
    }
    if dice.random() < 0.6:
        keys |= {"uplink": True, "bsrp": dice.random() < 0.4}
        keys["uplink_interval"] = dice.choice(["2 ms", "10 ms", "30 ms"])
        if dice.random() < 0.5:
            keys["mu_edca"] = dice.choice(MU_EDCA)
        if dice.random() < 0.5:
            keys["random_access"] = dice.choice([True, 2, {"rus": 4, "ocw_min": 1, "ocw_max": 7}])
        if dice.random() < 0.3:
            keys["target_rssi"] = "-70 dBm"
    return keys
