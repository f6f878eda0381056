"""The words of `dualpi2` in a queue: those of tc-dualpi2(8), for few versions of `tc` know it.

Defaults are those of Linux (`dualpi2_reset_default` of `net/sched/sch_dualpi2.c`), which follow RFC 9332,
appendix A.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from airtcp.errors import suggestion

_US_OF_UNIT = {"us": 1, "usec": 1, "usecs": 1, "ms": 1e3, "msec": 1e3, "msecs": 1e3, "s": 1e6, "sec": 1e6}
_BYTES_OF_UNIT = {"": 1, "b": 1, "k": 1024, "kb": 1024, "m": 1024**2, "mb": 1024**2}
_NUMBER_AND_UNIT = re.compile(r"(\d+\.?\d*)([a-z]*)", re.IGNORECASE)
_STEP_PACKETS = re.compile(r"(\d+)(?:p|pkt|pkts|packet|packets)")
# The kernel has gains in 1/256 Hz, of 31 bits (ALPHA_BETA_SHIFT, ALPHA_BETA_MAX).
_GAIN_STEPS = 256
_GAIN_MOST = 2**31 - 1
_U32_MOST = 2**32 - 1
_U8_MOST = 255

_DEFAULTS: dict[str, Any] = {
    "limit_packets": 10_000,
    "memory_limit_bytes": None,
    "target_us": 15_000,
    "tupdate_us": 16_000,
    "alpha": 41,
    "beta": 819,
    "step_threshold": {"kind": "delay", "delay_us": 1_000},
    "min_qlen_step_packets": 0,
    "coupling_factor": 2,
    "classic_protection_percent": 10,
    "drop_on_overload": True,
    "drop_early": False,
    "low_latency": "l4s_ect",
    "split_gso": True,
}
# Words that stand alone.
_SWITCHES: dict[str, tuple[str, Any]] = {
    "drop_on_overload": ("drop_on_overload", True),
    "overflow": ("drop_on_overload", False),
    "drop_enqueue": ("drop_early", True),
    "drop_dequeue": ("drop_early", False),
    "l4s_ect": ("low_latency", "l4s_ect"),
    "any_ect": ("low_latency", "any_ect"),
    "split_gso": ("split_gso", True),
    "no_split_gso": ("split_gso", False),
}


def _scaled(units: dict[str, float], example: str, most: int) -> Callable[[str], int]:
    """Reads a number with one of these units; one without has the first."""

    def read(text: str) -> int:
        found = _NUMBER_AND_UNIT.fullmatch(text)
        factor = units.get(found[2].lower() or next(iter(units))) if found else None
        if found is None or factor is None:
            raise ValueError(f"write for example {example}")
        return _within(float(found[1]) * factor, 0, most)

    return read


def _counted(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.removesuffix("%").isdigit():
            raise ValueError(f"write a whole number from {least} to {most}")
        return _within(int(text.removesuffix("%")), least, most)

    return read


def _within(value: float, least: int, most: int) -> int:
    if not least <= round(value) <= most:
        raise ValueError(f"is out of range: {least} to {most}")
    return round(value)


def _gain(text: str) -> int:
    try:
        return _within(float(text) * _GAIN_STEPS, 1, _GAIN_MOST)
    except (ValueError, OverflowError):
        raise ValueError("write a gain in Hz, at least 0.004, for example 0.16") from None


_TIME = _scaled({**_US_OF_UNIT}, "15ms", _U32_MOST)


def _step(text: str) -> dict[str, Any]:
    packets = _STEP_PACKETS.fullmatch(text)
    if packets:
        return {"kind": "packets", "packets": _within(int(packets[1]), 0, _U32_MOST)}
    return {"kind": "delay", "delay_us": _TIME(text)}


def _update(text: str) -> int:
    return _within(_TIME(text), 1, _U32_MOST)


# Words that a value follows.
_VALUES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "limit": ("limit_packets", _counted(1, _U32_MOST)),
    "memlimit": ("memory_limit_bytes", _scaled({**_BYTES_OF_UNIT}, "1mb", _U32_MOST)),
    "target": ("target_us", _TIME),
    "tupdate": ("tupdate_us", _update),
    "alpha": ("alpha", _gain),
    "beta": ("beta", _gain),
    "step_thresh": ("step_threshold", _step),
    "min_qlen_step": ("min_qlen_step_packets", _counted(0, _U32_MOST)),
    "coupling_factor": ("coupling_factor", _counted(1, _U8_MOST)),
    "classic_protection": ("classic_protection_percent", _counted(0, 100)),
}
WORDS = (*_VALUES, *_SWITCHES)


def dualpi2_plan(words: Sequence[str]) -> dict[str, Any]:
    """The queue that these words, after `dualpi2`, mean; `ValueError` says what is wrong with them."""
    return {"kind": "dualpi2", **_DEFAULTS, **dict(_settings(words))}


def dualpi2_words(plan: dict[str, Any]) -> list[str]:
    """The words for `tc` of a queue of the plan."""
    step = plan["step_threshold"]
    memory = plan["memory_limit_bytes"]
    values = {
        "limit": str(plan["limit_packets"]),
        **({} if memory is None else {"memlimit": str(memory)}),
        "target": f"{plan['target_us']}us",
        "tupdate": f"{plan['tupdate_us']}us",
        "alpha": str(plan["alpha"] / _GAIN_STEPS),
        "beta": str(plan["beta"] / _GAIN_STEPS),
        "step_thresh": f"{step['delay_us']}us" if step["kind"] == "delay" else f"{step['packets']}pkt",
        "min_qlen_step": str(plan["min_qlen_step_packets"]),
        "coupling_factor": str(plan["coupling_factor"]),
        "classic_protection": str(plan["classic_protection_percent"]),
    }
    switches = [word for word, (key, value) in _SWITCHES.items() if plan[key] == value]
    return ["dualpi2", *(word for pair in values.items() for word in pair), *switches]


def _settings(words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    rest = iter(words)
    for word in rest:
        if word in _SWITCHES:
            yield _SWITCHES[word]
            continue
        if word not in _VALUES:
            hint = suggestion(word, WORDS)
            known = f"known: {', '.join(WORDS)}"
            raise ValueError(f'dualpi2 has no "{word}"; {hint + " " if hint else ""}{known}')
        key, read = _VALUES[word]
        value = next(rest, None)
        if value is None:
            raise ValueError(f'"{word}" of dualpi2 needs a value')
        try:
            yield key, read(value)
        except ValueError as error:
            raise ValueError(f'"{word} {value}" of dualpi2: {error}') from None
