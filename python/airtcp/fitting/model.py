"""The model: a scenario with unknown keys, as a plan for each measured setting and each set of values."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from airtcp.data.series.catalogue import SERIES
from airtcp.errors import AirtcpError
from airtcp.fitting.parameters import Parameter, parameters_of
from airtcp.fitting.recorded_signal import Link, Signals, asked_links, record_signals, with_files
from airtcp.fitting.settings import Setting
from airtcp.plans.flat import flatten, put
from airtcp.plans.traffic import ends_of_ipv6, ends_of_traffic, with_traffic
from airtcp.plans.types.plan import Plan, PlanSampling
from airtcp.quantities.named_number import NamedNumber
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.assignment import assign
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.reading.toml_file import parse_toml, read_text

# Of virtual runs: what the usual statistics need. Sampling costs computing time, and has no other effect.
_UNSAMPLED: PlanSampling = {
    "flows_interval_ns": 0, "qdiscs_interval_ns": 0, "stations_interval_ns": 0, "rates_interval_ns": 0,
    "air_interval_ns": 0, "acks": False, "delays": False, "ppdus": False, "sockets_least_bytes": None,
}  # fmt: skip
# What a scenario has for a value: by the path of its key.
Values = Mapping[str, str | float]


@dataclass(frozen=True)
class Model:
    """The tables of a scenario file, and its unknowns."""

    file: Path
    tables: Mapping[str, Any]
    parameters: tuple[Parameter, ...]
    signals: Signals = field(default_factory=dict)
    """The recordings of links that the scenario asks for: until they are known it has none of these links."""
    compared: tuple[NamedNumber, ...] = ()
    """Numbers by which a fit compares its virtual runs, beside the usual statistics."""

    def values(self, axes: Sequence[float]) -> dict[str, str | float]:
        """What a scenario has at these places of the parameters' axes."""
        return {one.path: one.text(axis) for one, axis in zip(self.parameters, axes, strict=True)}

    def compiled(
        self,
        values: Values,
        recordings: Mapping[Link, Path] | None = None,
        ipv6: tuple[str, str] | None = None,
    ) -> Plan:
        """The plan of the scenario with these values of its unknowns, and with these recordings of links.

        Nodes have addresses of IPv6 only if some traffic does. `ipv6`: the ends of a ping that does.
        """
        tables = copy.deepcopy(dict(self.tables))
        for path, value in values.items():
            assign(tables, path, value)
        with_files(tables, recordings or {})
        if ipv6 is not None:
            ping = {"from": ipv6[0], "to": ipv6[1], "ip": 6}
            tables["ping"] = [*tables.get("ping", []), ping]
        return compile_scenario(scenario_from_tables(tables), self.file.parent)

    def plan(self, values: Values, setting: Setting, seed: int, observed: bool = False) -> Plan:
        """The plan of a virtual run with the traffic of a setting.

        Traffic of the model stays if the measured run has none of its name, or if a key of it is unknown: it
        is background. `observed`: with all that the model samples.
        """
        recordings = self._recordings(setting, seed)
        _check_nodes(self._lowest, cast(Plan, setting.plan), self.file)
        measured = cast(Plan, setting.plan)
        own = self.compiled(values, recordings, ends_of_ipv6(measured))
        flows, datagrams = self._unknown_of("flows"), self._unknown_of("datagrams")
        known: Plan = {
            **measured,
            "flows": [one for one in measured["flows"] if one["name"] not in flows],
            "datagrams": [one for one in measured["datagrams"] if one["name"] not in datagrams],
        }
        made: Plan = {
            **with_traffic(own, known),
            "programs": [],
            "files": [],
            "ends_with_programs": [],
            "captures": [],
            "session": None,
            "seed": seed,
        }
        for key, value in setting.varied.items():
            if key not in self._places:
                put(made, key, value)
        sampling = made["sampling"] if observed else self._sampled(made["sampling"])
        made["sampling"] = {**sampling, "flows_interval_ns": measured["sampling"]["flows_interval_ns"]}
        return made

    def recorded(self, settings: Sequence[Setting], store: Path) -> "Model":
        """The model with the recordings that it asks for, from the measured runs of the settings."""
        links = asked_links(self.tables)
        return replace(self, signals=record_signals(links, settings, store)) if links else self

    def _sampled(self, own: PlanSampling) -> PlanSampling:
        """Of what the model samples, what the compared numbers need."""
        series = (SERIES[name] for one in self.compared for name in one.quantity.series)
        wanted = {each.interval_key or each.name for each in series}
        return cast(PlanSampling, {**_UNSAMPLED, **{key: on for key, on in own.items() if key in wanted}})

    def _recordings(self, setting: Setting, seed: int) -> dict[Link, Path]:
        """A recording of each link, by seed another: of the setting's runs, or of any if those have none."""
        chosen = {}
        for link, signals in self.signals.items():
            own = [file for signal, file in signals if signal.run in setting.folders]
            every = own or [file for _, file in signals]
            chosen[link] = every[seed % len(every)]
        return chosen

    def fixed(self, values: Values) -> "Model":
        """The model with given values in place of unknowns."""
        tables = copy.deepcopy(dict(self.tables))
        for path, value in values.items():
            assign(tables, path, value)
        return replace(
            self, tables=tables, parameters=tuple(one for one in self.parameters if one.path not in values)
        )

    def _unknown_of(self, kind: str) -> frozenset[str]:
        """The names of the traffic of a kind that has an unknown key."""
        found = (key.removeprefix(f"{kind}.") for key in self._places if key.startswith(f"{kind}."))
        return frozenset(key.rpartition(".")[0] for key in found)

    @cached_property
    def _lowest(self) -> Plan:
        """The plan with the least value of each unknown."""
        return self.compiled({one.path: one.text(one.low) for one in self.parameters})

    @cached_property
    def _places(self) -> frozenset[str]:
        """The keys of the plan that the unknowns decide."""
        high = self.compiled({one.path: one.text(one.high) for one in self.parameters})
        first, second = (flatten(each) for each in (self._lowest, high))
        return frozenset(key for key in first if first[key] != second.get(key))


def read_model(file: Path, free: Sequence[str] = (), fixed: Mapping[str, Any] | None = None) -> Model:
    """The model of a scenario file; `free` names unknown keys, `fixed` sets keys.

    Without unknowns, and with one that can't be estimated, it is an `AirtcpError`.
    """
    tables = _tables(file, fixed)
    return Model(file, tables, parameters_of(tables, free))


def read_known(file: Path, fixed: Mapping[str, Any] | None = None) -> Model:
    """The model of a scenario file in which everything is known."""
    tables = _tables(file, fixed)
    for link in asked_links(tables):
        raise AirtcpError("is unknown", f"{file}: {link.path}", "Fit the model first, or name a file")
    return Model(file, tables, ())


def _tables(file: Path, fixed: Mapping[str, Any] | None) -> dict[str, Any]:
    tables = parse_toml(read_text(file), file)
    for path, value in (fixed or {}).items():
        assign(tables, path, value)
    return tables


def _check_nodes(made: Plan, measured: Plan, file: Path) -> None:
    known = {node["name"] for node in made["nodes"]}
    for node in (end for source, to, _ in ends_of_traffic(measured) for end in (source, to)):
        if node not in known:
            remedy = f"Name its nodes as the measured scenario does; it has {', '.join(sorted(known))}"
            raise AirtcpError(f'has no node "{node}", which the measured runs have', str(file), remedy)
