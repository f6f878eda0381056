"""Which keys and values two sides are compared by, and their rows put together by those keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from airtcp.errors import AirtcpError
from airtcp.quantities.named_number import ALL as ALL_VALUES
from airtcp.quantities.named_number import find_number
from airtcp.quantities.registry import nearest
from airtcp.report.comparison.side import Row, Side
from airtcp.report.comparison.values import USUAL
from airtcp.report.html.run_factors import natural

# Of two sides without any key: each has one case only.
NO_KEY = "case"
ALL = "all"

Key = tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """The rows of a side with the same keys: what differs between them is the seed."""

    rows: tuple[Row, ...]

    def by_seed(self, value: str) -> dict[int, float]:
        """The value of each seed that knows it."""
        known = [row for row in self.rows if row.seed is not None and value in row.values]
        return {row.seed: row.values[value] for row in known if row.seed is not None}

    def mean(self, value: str) -> float | None:
        """Over the rows that know the value."""
        known = [row.values[value] for row in self.rows if value in row.values]
        return fmean(known) if known else None

    @property
    def doubtful(self) -> bool:
        """Whether a row does not show what its congestion controls can do."""
        return any(row.doubtful for row in self.rows)


Cases = dict[Key, Case]


@dataclass(frozen=True)
class Names:
    """What a comparison goes by: `keys` match rows, `values` are held against each other.

    `ours` and `theirs` are keys that do not differ within a side, but between both: they name the sides.
    """

    keys: tuple[str, ...]
    values: tuple[str, ...]
    ours: Mapping[str, str]
    theirs: Mapping[str, str]


def names_of(ours: Side, theirs: Side, by: Sequence[str] = (), values: Sequence[str] = ()) -> Names:
    """The keys and values asked for, or those that both sides have.

    Of sides that are one case each, all values; of more the usual ones.
    """
    both = [key for key in ours.keys if key in theirs.keys]
    keys = tuple(dict.fromkeys(_key(word, ours, theirs, both) for word in by)) or _differing(
        ours, theirs, both
    )
    lone = [key for key in both if key not in keys and _differs_between(key, ours, theirs)]
    return Names(
        keys,
        _values(ours, theirs, values, of_one_case=not keys),
        {key: ours.levels(key)[0] for key in lone},
        {key: theirs.levels(key)[0] for key in lone},
    )


def _differing(ours: Side, theirs: Side, both: Sequence[str]) -> tuple[str, ...]:
    keys = tuple(key for key in both if len(ours.levels(key)) > 1 or len(theirs.levels(key)) > 1)
    if not keys and not both and (len(ours.rows) > 1 or len(theirs.rows) > 1):
        several = next(side for side in (ours, theirs) if len(side.rows) > 1)
        if any(len(several.levels(key)) > 1 for key in several.keys):
            raise AirtcpError(
                f"no key in common: ours has {_listed(ours.keys)}, theirs {_listed(theirs.keys)}",
                f"{ours.label} and {theirs.label}",
                "Rename columns with --names THEIRS=OURS, or choose one case with --where KEY=VALUE",
            )
    return keys


def _differs_between(key: str, ours: Side, theirs: Side) -> bool:
    here, there = ours.levels(key), theirs.levels(key)
    return len(here) == len(there) == 1 and here != there


def _key(word: str, ours: Side, theirs: Side, both: Sequence[str]) -> str:
    """A key by its name, or by the beginning of it: `queue` for `queue_packets`."""
    fitting = [key for key in both if key == word] or [key for key in both if key.startswith(f"{word}_")]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise AirtcpError(f'"{word}" may be {" or ".join(fitting)}', "--by", "Give the whole name")
    for name, side in (("ours", ours), ("theirs", theirs)):
        if word not in side.keys:
            known = f"{name} has {_listed(side.keys)}"
            raise AirtcpError(f'{name} has no key "{word}"', f"--by, {side.label}", known)
    raise AssertionError("a key of both sides is found")


def _values(ours: Side, theirs: Side, asked: Sequence[str], of_one_case: bool) -> tuple[str, ...]:
    both = [value for value in ours.values if value in theirs.values]
    for value in asked:
        if value not in (*both, ALL_VALUES):
            if value not in (*ours.values, *theirs.values) and find_number(value) is None:
                raise AirtcpError(f'there is no quantity "{value}"', "--values", nearest(value, both))
            reasons = {side.label: side.lacking[value] for side in (ours, theirs) if value in side.lacking}
            why = "".join(f"; in {label} {reason}" for label, reason in reasons.items())
            known = f"Both have {_listed(both)}; ours {_listed(ours.values)}, theirs {_listed(theirs.values)}"
            raise AirtcpError(f'"{value}" is not a value that both sides have{why}', "--values", known)
    if not both:
        raise AirtcpError(
            f"no value in common: ours has {_listed(ours.values)}, theirs {_listed(theirs.values)}",
            f"{ours.label} and {theirs.label}",
            "Rename columns with --names THEIRS=OURS",
        )
    if ALL_VALUES in asked or (of_one_case and not asked):
        return tuple(both)
    usual = [value for value in both if value in USUAL]
    return tuple(dict.fromkeys(asked)) or tuple(usual or both)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def cases_of(side: Side, which: str, keys: Sequence[str]) -> Cases:
    """The rows by their keys, in order.

    Rows of one key that differ in another key, or that are neither runs nor different seeds, are an
    `AirtcpError`: their mean would be that of different things.
    """
    made: dict[Key, list[Row]] = {}
    for row in side.rows:
        made.setdefault(tuple(row.keys[key] for key in keys) or (ALL,), []).append(row)
    for key, rows in made.items():
        _check(side, which, keys, key, rows)
    ordered = sorted(made.items(), key=lambda item: [natural(level) for level in item[0]])
    return {key: Case(tuple(rows)) for key, rows in ordered}


def _check(side: Side, which: str, keys: Sequence[str], key: Key, rows: Sequence[Row]) -> None:
    at = case_text(keys, key)
    for other in side.keys:
        levels = list(dict.fromkeys(row.keys[other] for row in rows))
        if other not in keys and len(levels) > 1:
            what = f"{which} has several results for {at}: they differ in {other} ({', '.join(levels[:6])})"
            remedy = (
                f"Choose one with --where {other}={levels[0]}, or add {other} to --by if both sides have it"
            )
            raise AirtcpError(what, side.label, remedy)
    for row in rows:
        twice = [other.place for other in rows if other.seed == row.seed]
        if len(twice) > 1:
            seed = "" if row.seed is None else f", seed {row.seed},"
            number = ", or number repetitions in a column named seed" if row.seed is None else ""
            what = f"{which} has {at}{seed} twice: {twice[0]} and {twice[1]}"
            raise AirtcpError(what, side.label, f"Leave one out{number}")


def case_text(keys: Sequence[str], key: Key) -> str:
    """A key in words: `cca reno, queue_packets 20`."""
    return ", ".join(f"{name} {level}" for name, level in zip(keys or (NO_KEY,), key, strict=True))
