"""Short labels for several runs: what differs between them."""

from collections.abc import Callable, Sequence
from typing import Any

from airtcp.data.run_folder import Run

Plan = dict[str, Any]


def run_labels(runs: Sequence[Run]) -> list[str]:
    """One label for each run: what differs of name, congestion controls, kernel and seed, in this order, as
    far as needed to distinguish them; the run's identity where nothing does.
    """
    parts: list[list[str]] = [[] for _ in runs]
    for aspect in _ASPECTS:
        words = aspect([run.plan for run in runs])
        if len({tuple(part) for part in parts}) < len(runs) and len(set(words)) > 1:
            for part, word in zip(parts, words, strict=True):
                part.append(word)
    labels = [", ".join(part) for part in parts]
    return [
        label if label and labels.count(label) == 1 else ", ".join(filter(None, (label, run.name)))
        for label, run in zip(labels, runs, strict=True)
    ]


def _names(plans: Sequence[Plan]) -> list[str]:
    """The words of the names, less those that stand at the same place of each."""
    words = [plan["name"].split("-") for plan in plans]
    if len({len(each) for each in words}) > 1:
        return [plan["name"] for plan in plans]
    differs = [len(set(column)) > 1 for column in zip(*words, strict=True)]
    return ["-".join(word for word, keep in zip(each, differs, strict=True) if keep) for each in words]


def _congestion_controls(plans: Sequence[Plan]) -> list[str]:
    every = [dict.fromkeys(flow["congestion_control"] for flow in plan["flows"]) for plan in plans]
    return ["+".join(each) or "no flows" for each in every]


_ASPECTS: tuple[Callable[[Sequence[Plan]], list[str]], ...] = (
    _names,
    _congestion_controls,
    lambda plans: [f"Linux {plan['kernel']}" for plan in plans],
    lambda plans: [f"seed {plan['seed']}" for plan in plans],
)
