"""What QUIC implementations log of their connections (qlog): loss detection and congestion control."""

from typing import TYPE_CHECKING

from airtcp.data.series.series import TIME, JsonObject, Series, names_by_number
from airtcp.formats.column import Column
from airtcp.formats.qlog import STATE_COLUMNS

if TYPE_CHECKING:
    import polars


def _label_quic(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    found, numbers = agent["quic"], frame["connection"]
    return frame.with_columns(
        names_by_number([one["name"] for one in found], "connection_name", numbers),
        names_by_number([one["node"] for one in found], "node_name", numbers),
        names_by_number([one["vantage_point"] for one in found], "vantage_point", numbers),
    )


QUIC = Series(
    "quic",
    "Each end of a QUIC connection whose program wrote a qlog to `$RUN_DIR`, at each event of its loss "
    "detection and congestion control, and at its last event. It is read from the logs in `programs/` of the "
    "run folder, not from `series/`.",
    (
        TIME,
        Column("connection", "i64", "", "number of the end: its place in `run.quic_connections`"),
        *STATE_COLUMNS,
    ),
    keys=("connection",),
    recorder="program",
    early_end="keep",
    setting="qlog = true in a [[program]] that uses QUIC",
    labels=(
        Column("connection_name", "text", "", "name of the program, numbered where it has several"),
        Column("node_name", "text", "", "node of the program; empty if the log's place does not tell it"),
        Column("vantage_point", "text", "", "`client` or `server`"),
    ),
    label=_label_quic,
)


class QuicSeries:
    """`run.quic`."""

    quic = QUIC
