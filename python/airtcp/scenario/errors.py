"""The error of a scenario: which file, which key, what to do."""

import re
from collections.abc import Sequence
from pathlib import Path

from airtcp.errors import AirtcpError

# A number that nobody reads to its end: its first digits say enough.
_LONG_NUMBER = re.compile(r"(\d{20})\d{20,}")


class ScenarioError(AirtcpError):
    """A scenario that can't be read or compiled; `key` is the key at fault, such as `flow[0].cca`."""

    def __init__(self, key: str, what: str, remedy: str = "", file: Path | str | None = None) -> None:
        self.key = key
        place = ": ".join(part for part in (str(file) if file else "", key) if part)
        super().__init__(_LONG_NUMBER.sub(r"\1...", what), place, remedy)

    def in_file(self, file: Path | str) -> "ScenarioError":
        """This error, naming the file."""
        return ScenarioError(self.key, self.what, self.remedy, file)


class ScenarioErrors(ScenarioError):
    """All that is wrong with a file, in the order of its lines; as an error it is the first of them."""

    def __init__(self, errors: Sequence[ScenarioError]) -> None:
        self.errors = tuple(errors)
        first = self.errors[0]
        super().__init__(first.key, first.what, first.remedy)
        self.place = first.place

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))

    def in_file(self, file: Path | str) -> "ScenarioErrors":
        """These errors, naming the file."""
        return ScenarioErrors([error.in_file(file) for error in self.errors])


class Refused(ValueError):
    """What can't be, before it is known under which key it stands; `part` is a key inside that one."""

    def __init__(self, what: str, remedy: str = "", part: str = "") -> None:
        self.what = what
        self.remedy = remedy
        self.part = part
        super().__init__(what)

    def at(self, key: str) -> ScenarioError:
        """The error, naming the key."""
        return ScenarioError(f"{key}.{self.part}" if self.part else key, self.what, self.remedy)
