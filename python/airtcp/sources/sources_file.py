"""The keys of `sources.toml`: which file of another program is which traffic of a scenario."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from airtcp.errors import AirtcpError, remedy_for
from airtcp.scenario.keys.parts import Name, Part
from airtcp.scenario.reading.toml_file import parse_toml, read_text
from airtcp.scenario.reading.toml_lines import with_line
from airtcp.scenario.values.units import LengthNs, TimeNs
from airtcp.sources.file_name import SOURCES_FILE
from airtcp.wrong_values import wrong_value

_GUIDE = "See airtcp docs fit"


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class Source(Part):
    """A file, or files of repetitions: `[[run.source]]`. One of `flow`, `ping` and `node` says what it is."""

    file: Annotated[list[str], BeforeValidator(_listed)] = Field(min_length=1)
    """File, beside `sources.toml`; a list or a pattern (`"day-*.json"`): one for each repetition."""
    flow: Name | None = None
    """Name of the flow that it measured, as the scenario has it."""
    ping: Name | None = None
    """Name of the ping, of a file with round-trip times: ping, irtt, octoping, Flent."""
    node: Name | None = None
    """Node at which statistics of stations were printed."""
    peers: dict[str, Name] = Field({})
    """Of statistics of stations: the node of each address, `{ "68:2f:67:8b:98:ed" = "sta1" }`."""
    test: int | None = Field(None, ge=0)
    """Of a file with several tests of iperf3: the one that is meant; default: each is a repetition."""
    stream: int | None = Field(None, ge=0)
    """Of several streams: the one that is meant; default: all together."""
    series: str | None = None
    """Of Flent: the data series, as `"Ping (ms) ICMP"`."""
    every: LengthNs | None = None
    """Of prints without times: the time between them."""

    @property
    def target(self) -> str:
        """The kind of traffic that it is; empty if none or several are given."""
        given = [kind for kind in ("flow", "ping", "node") if getattr(self, kind) is not None]
        return given[0] if len(given) == 1 else ""


class SourceRun(Part):
    """What was measured at once, and its repetitions: `[[run]]`."""

    set: dict[str, Any] = Field({})
    """Keys of the scenario that this run has otherwise, by the paths of `--set`."""
    begin: TimeNs | None = None
    """Only what was measured from this time on is taken; it becomes the run's begin."""
    end: LengthNs | None = None
    """Only what was measured before this time is taken."""
    source: list[Source] = Field(min_length=1)
    """The files."""


class SourcesFile(Part):
    """A folder of measurements: `sources.toml`."""

    scenario: str
    """Scenario whose nodes and traffic were measured, beside this file; a model with `"?"` may be it."""
    run: list[SourceRun] = Field(min_length=1)
    """What was measured."""


def read_sources(folder: Path) -> SourcesFile:
    """The file in a folder; what is wrong with it is an `AirtcpError` with file, line and key."""
    path = folder / SOURCES_FILE
    text = read_text(path)
    tables = parse_toml(text, path)
    try:
        found = SourcesFile.model_validate(tables)
    except ValidationError as error:
        raise _first_error(error, path, text) from None
    for number, run in enumerate(found.run):
        for place, source in enumerate(run.source):
            if not source.target:
                key = f"run[{number}].source[{place}]"
                what = "does not say what the file is, or says it twice"
                raise AirtcpError(what, f"{path}: {key}", "Give it one of flow, ping and node")
    return found


def _first_error(error: ValidationError, path: Path, text: str) -> AirtcpError:
    detail = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in detail["loc"])
    names = [str(part) for part in detail["loc"] if not isinstance(part, int)]
    tables: Mapping[int, type[Part]] = {1: SourcesFile, 2: SourceRun}
    if detail["type"] == "extra_forbidden":
        model = tables.get(len(names), Source)
        what, remedy = "unknown key", remedy_for(names[-1], list(model.model_fields))
    elif detail["type"] == "missing":
        what, remedy = "is missing", _GUIDE
    else:
        wrong = wrong_value(detail, key)
        what, remedy = wrong.what, wrong.remedy or _GUIDE
    return AirtcpError(f"{key}: {what}", with_line(str(path), text, names[-1]), remedy)
