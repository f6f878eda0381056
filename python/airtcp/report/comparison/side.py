"""One side of a comparison, whatever it comes from: rows with keys, a seed, and values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from airtcp.errors import AirtcpError


@dataclass(frozen=True)
class Row:
    """A run, or a line of a file: numbers that it does not know are not among its values.

    `run` is the name of the run, which says all that its result depends on.
    """

    place: str
    keys: Mapping[str, str]
    values: Mapping[str, float]
    seed: int | None = None
    doubtful: bool = False
    run: str = ""


@dataclass(frozen=True)
class Side:
    """All rows of one side; `keys` and `values` name what they have, `label` is what the user called it.

    `lacking` says of values that no row has why.
    """

    label: str
    keys: tuple[str, ...]
    values: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    lacking: Mapping[str, str] = field(default_factory=dict)

    def levels(self, key: str) -> list[str]:
        """The different values of a key, in the order of the rows."""
        return list(dict.fromkeys(row.keys[key] for row in self.rows))

    def only(self, chosen: Mapping[str, str], place: str) -> "Side":
        """As `where`, but a key that the side does not have is an `AirtcpError` at `place`."""
        for key in chosen:
            if key not in self.keys:
                known = f"Known: {', '.join(self.keys) or 'none'}"
                raise AirtcpError(f'{self.label} has no key "{key}"', place, known)
        return self.where(chosen)

    def where(self, chosen: Mapping[str, str]) -> "Side":
        """The rows with these values of keys; a key that the side does not have chooses nothing."""
        rows: Sequence[Row] = self.rows
        for key, level in chosen.items():
            if key not in self.keys:
                continue
            rows = [row for row in rows if row.keys[key] == level]
            if not rows:
                known = ", ".join(self.levels(key))
                raise AirtcpError(f"no result has {key} {level}", self.label, f"Known: {known}")
        return replace(self, rows=tuple(rows))
