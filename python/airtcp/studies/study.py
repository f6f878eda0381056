"""Reads a study: its files, checked against each other before anything runs."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from airtcp.errors import AirtcpError, remedy_for
from airtcp.input_file import TEXT_BYTES_MOST, read_input
from airtcp.plots.paper import Paper
from airtcp.quantities.metric_file import MetricFile
from airtcp.scenario.reading.toml_file import parse_toml
from airtcp.scenario.reading.toml_lines import with_line
from airtcp.studies.known_studies import STUDY_FILE
from airtcp.studies.level_numbers import level_numbers
from airtcp.studies.study_file import (
    ClaimFile,
    ClaimsFile,
    FactorFile,
    FigureFile,
    Level,
    PartFile,
    StudyFile,
    TableFile,
    Where,
)
from airtcp.wrong_values import wrong_value

CLAIMS_FILE = "claims.toml"
# Kinds of figures that may have several panels.
PANELLED = ("bars", "lines", "boxes", "time", "cdf")

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True)
class Study:
    """A study, or the parts of it that were asked for."""

    folder: Path
    name: str
    title: str
    paper: str
    notes: tuple[str, ...]
    reps: int
    factors: Mapping[str, FactorFile]
    parts: Mapping[str, PartFile]
    metrics: Mapping[str, MetricFile]
    figures: tuple[FigureFile, ...]
    tables: tuple[TableFile, ...]
    claims: tuple[ClaimFile, ...]
    paper_style: Paper = field(default_factory=Paper)

    def label(self, factor: str, level: Level) -> str:
        """A level as it is shown."""
        return self.factors[factor].labels.get(str(level), str(level))

    def factor_name(self, factor: str) -> str:
        """A factor as it is shown, with its unit."""
        own = self.factors[factor]
        return f"{own.name} [{own.unit}]" if own.unit else own.name

    def part_factors(self, part: str) -> tuple[str, ...]:
        """The factors of a part, in its order."""
        return tuple(self.parts[part].grids[0])

    def metric(self, name: str) -> MetricFile:
        """A quantity with its arguments; one that the study does not define is taken as it is."""
        return self.metrics.get(name) or MetricFile(of=name)

    def only_parts(self, names: tuple[str, ...]) -> "Study":
        """The study of some of its parts, with what is shown and claimed of them."""
        return replace(
            self,
            parts={name: part for name, part in self.parts.items() if name in names},
            figures=tuple(figure for figure in self.figures if figure.part in names),
            tables=tuple(table for table in self.tables if table.part in names),
            claims=tuple(claim for claim in self.claims if claim.part in names),
        )


def read_study(folder: Path) -> Study:
    """The study in a folder; the first thing wrong with it is an `AirtcpError` that names file and key."""
    file = folder / STUDY_FILE
    read = _read(file, StudyFile)
    claims = _read(folder / CLAIMS_FILE, ClaimsFile).claim if (folder / CLAIMS_FILE).exists() else []
    study = Study(
        folder=folder,
        name=read.name,
        title=read.title,
        paper=read.paper,
        notes=tuple(read.notes),
        reps=read.reps,
        factors=read.factor,
        parts=read.part,
        metrics={name: metric.beside(folder) for name, metric in read.metric.items()},
        figures=tuple(read.figure),
        tables=tuple(read.table),
        claims=tuple(_in_each_part(claims)),
        paper_style=read.style.paper,
    )
    check_study(study, str(file), str(folder / CLAIMS_FILE))
    return study


def _in_each_part(claims: Iterable[ClaimFile]) -> Iterator[ClaimFile]:
    """A claim is held against further parts by itself, so that one of them can be computed alone."""
    for claim in claims:
        yield claim
        for part in claim.also:
            names = {"id": f"{claim.id}, {part}", "place": f"{claim.place}; part {part}", "likely": ""}
            yield claim.model_copy(update={**names, "part": part})


def _read(file: Path, model: type[_Model]) -> _Model:
    try:
        text = read_input(file, TEXT_BYTES_MOST).decode("utf-8")
        return model.model_validate(parse_toml(text, file))
    except ValidationError as error:
        raise first_error(error, str(file), text, "airtcp docs studies", model) from None
    except (OSError, ValueError) as error:
        raise AirtcpError(
            f"can't be read: {getattr(error, 'strerror', None) or error}",
            str(file),
            "Correct the file, or copy it again",
        ) from None


def first_error(
    error: ValidationError, file: str, text: str, guide: str, model: type[BaseModel]
) -> AirtcpError:
    """The first thing that is wrong with the tables of a file that should be this model, with its line."""
    detail = error.errors(include_url=False)[0]
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"])
    key = key.lstrip(".")
    place = with_line(file, text, key)
    if detail["type"] == "extra_forbidden":
        return AirtcpError(f"{key}: unknown key", place, _beside(model, detail["loc"]) or f"See {guide}")
    if detail["type"] == "missing":
        return AirtcpError(f"{key}: is missing", place, f"See {guide}")
    wrong = wrong_value(detail, key)
    return AirtcpError(f"{key}: {wrong.what}", place, wrong.remedy or f"See {guide}")


def _beside(model: type[BaseModel], path: Sequence[str | int]) -> str:
    """What to write in place of an unknown key: one like it, or one of those that may stand there."""
    name = str(path[-1])
    if len(path) == 1 and name in _ELSEWHERE:
        return _ELSEWHERE[name]
    kind: Any = model
    for part in path[:-1]:
        # A list or a table of names holds one kind of thing; a model holds what its key says.
        fields = getattr(kind, "model_fields", None)
        if fields is not None and part not in fields:
            return ""
        kind = get_args(kind)[-1:] if fields is None else fields[part].annotation
        kind = kind[0] if isinstance(kind, tuple) and kind else kind
    known = getattr(kind, "model_fields", {})
    return remedy_for(name, sorted(field.alias or own for own, field in known.items())) if known else ""


# What people write at the top of a campaign, and where it belongs.
_ELSEWHERE = {
    **dict.fromkeys(
        ("seed", "seeds", "runs", "repetitions", "repeat"), "Write reps = 5, for runs with seeds 1 to 5"
    ),
    **dict.fromkeys(
        ("duration", "wifi", "wire", "flow", "channel", "kernel"),
        'Write it in the scenario, or as set = { "wire[0].rate" = "5 Mbit/s" } for all runs',
    ),
    **dict.fromkeys(("factors", "vary"), "Write [factor.NAME] with key and values"),
    **dict.fromkeys(("jobs", "store", "out", "only"), "It is an option of the command: airtcp sweep --help"),
}


def check_study(study: Study, file: str, claims_file: str) -> None:
    """What a study's parts name must be there; errors stand at these files."""
    for name, part in study.parts.items():
        for grid in part.grids:
            _known(grid, study.factors, f"{file}: part.{name}.vary", "factor")
            if set(grid) != set(study.part_factors(name)):
                raise AirtcpError("grids of one part vary different factors", f"{file}: part.{name}.vary")
    shown: tuple[tuple[str, FigureFile | TableFile | ClaimFile], ...] = (
        *(("figure", figure) for figure in study.figures),
        *(("table", table) for table in study.tables),
        *(("claim", claim) for claim in study.claims),
    )
    for kind, one in shown:
        place = f"{claims_file if kind == 'claim' else file}: {kind} {one.id}"
        _known([one.part], study.parts, place, "part")
        _known(_factors_of(one), study.part_factors(one.part), place, _factor_of(study, one.part))
        _check_levels(study, one, place)
        if isinstance(one, FigureFile) and one.panels and one.kind not in PANELLED:
            remedy = f'Make a figure for each level: where = {{ {one.panels} = "..." }}'
            raise AirtcpError(f'a figure of kind "{one.kind}" has no panels', place, remedy)
        if isinstance(one, FigureFile):
            _check_figure(study, one, place)


def _check_figure(study: Study, one: FigureFile, place: str) -> None:
    """Before anything runs: what a figure shows must be one number for each of its levels."""
    if one.kind == "matrix":
        _check_matrix(one, place)
    across = chosen_levels(study, one.part, one.x, one.where) if one.x else []
    if one.kind == "lines" and level_numbers(across) is None:
        what = f"{one.x}: {', '.join(map(str, across))} are not numbers of one unit, which the axis needs"
        raise AirtcpError(what, place, 'Use kind = "bars"')
    # The others show every value, or each run.
    if one.kind not in ("bars", "lines", "boxes", "matrix"):
        return
    for factor in study.part_factors(one.part):
        levels = chosen_levels(study, one.part, factor, one.where)
        if len(levels) > 1 and factor not in (one.x, one.panels, *one.series):
            names = ", ".join(map(str, levels))
            remedy = "Choose one with where, or show it with series"
            raise AirtcpError(
                f"{factor} has several levels ({names}), which would be averaged", place, remedy
            )


def _factor_of(study: Study, part: str) -> str:
    """A factor in messages: with its part, where there are several."""
    return "factor" if len(study.parts) == 1 else f"factor of part {part}"


def _check_matrix(one: FigureFile, place: str) -> None:
    """A matrix has one factor across, one down, and one metric."""
    if not one.x or len(one.series) != 1 or one.x in one.series:
        remedy = 'Write for example x = "theirs" and series = ["ours"]'
        raise AirtcpError("a matrix needs two factors, one in x and one in series", place, remedy)
    if len(one.metrics) != 1:
        raise AirtcpError("a matrix shows one metric", place, "Make a figure for each")


def _factors_of(one: FigureFile | TableFile | ClaimFile) -> list[str]:
    if isinstance(one, FigureFile):
        named = [one.x, one.panels, *one.series, *one.where]
    elif isinstance(one, TableFile):
        named = [*one.rows, one.columns, one.queue, *one.where]
    else:
        named = [one.factor, *one.pool, *one.where, *one.of, *one.to]
    return [name for name in named if name]


def _check_levels(study: Study, one: FigureFile | TableFile | ClaimFile, place: str) -> None:
    wheres: list[Where] = [one.where]
    if isinstance(one, ClaimFile):
        wheres += [one.of, one.to]
    for where in wheres:
        for factor, chosen in where.items():
            known = part_levels(study, one.part, factor)
            for level in chosen if isinstance(chosen, list) else [chosen]:
                if level not in known:
                    levels = ", ".join(map(str, known))
                    raise AirtcpError(
                        f"{factor} = {level!r} is in no run of the part", place, f"Known: {levels}"
                    )


def chosen_levels(study: Study, part: str, factor: str, where: Where) -> list[Level]:
    """The levels of a factor in those runs of a part that `where` chooses, in its order."""
    found: list[Level] = []
    for grid in study.parts[part].grids:
        chosen = {name: [one for one in grid[name] if one in _listed(where[name])] for name in where}
        if all(chosen.values()):
            found += chosen.get(factor, grid[factor])
    return list(dict.fromkeys(found))


def _listed(levels: Level | list[Level]) -> list[Level]:
    return levels if isinstance(levels, list) else [levels]


def part_levels(study: Study, part: str, factor: str) -> list[Level]:
    """The levels of a factor in a part, in its order."""
    return list(dict.fromkeys(level for grid in study.parts[part].grids for level in grid[factor]))


def _known(named: Iterable[str], known: Collection[str], place: str, what: str) -> None:
    for name in named:
        if name not in known:
            remedy = remedy_for(name, known)
            raise AirtcpError(f'there is no {what} "{name}"', place, remedy)
