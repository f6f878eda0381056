"""The error of a scenario: which file, which key, what to do."""

from pathlib import Path

from airtcp.errors import AirtcpError


class ScenarioError(AirtcpError):
    """A scenario that can't be read or compiled; `key` is the key at fault, such as `flow[0].cca`."""

    def __init__(self, key: str, what: str, remedy: str = "", file: Path | str | None = None) -> None:
        self.key = key
        place = ": ".join(part for part in (str(file) if file else "", key) if part)
        super().__init__(what, place, remedy)

    def in_file(self, file: Path | str) -> "ScenarioError":
        """The same error, naming the file."""
        return ScenarioError(self.key, self.what, self.remedy, file)


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
