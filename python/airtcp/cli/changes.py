"""`--set KEY=VALUE` and `--seed`: changed keys of a scenario."""

import tomllib
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from airtcp.errors import AirtcpError

Seed = Annotated[int | None, typer.Option("--seed", help="Change the seed.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help='Change a key, as "wire[0].queue=50 packets" or "flow[*].cca=bbr"; may be given several times.',
        show_default=False,
    ),
]


def changes(seed: int | None, settings: Sequence[str] | None) -> dict[str, Any]:
    """The changed keys; a value is TOML, or text if it is not valid TOML."""
    changed: dict[str, Any] = {}
    for setting in settings or ():
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not key or not equals:
            what, remedy = f'"{setting}" is not KEY=VALUE', 'Write for example --set "wire[0].rate=5 Mbit/s"'
            raise AirtcpError(what, "--set", remedy)
        # TOML takes a series, as 6.1, for a number.
        changed[key] = value.strip("\"'") if key == "kernel" else _value(value)
    return changed if seed is None else {**changed, "seed": seed}


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        return text
