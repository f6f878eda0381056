"""One run in tables: what `airtcp run` and reports show of it, from its record."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from airtcp.data.run_folder import Run
from airtcp.report.run.applications import jitter_table, stream_table, transfer_tables, video_table
from airtcp.report.run.dual_queues import dual_queue_table
from airtcp.report.run.facts import RunRecord, run_record
from airtcp.report.run.flows import flow_table, limits_table, udp_table
from airtcp.report.run.groups import MEMBERS_MOST, group_table, left_out
from airtcp.report.run.latency import latency_table
from airtcp.report.run.mptcp import mptcp_table
from airtcp.report.run.pings import ping_table
from airtcp.report.run.programs import program_table
from airtcp.report.run.queues import queue_table, wire_table
from airtcp.report.run.quic import quic_table
from airtcp.report.run.radios import radio_table
from airtcp.report.run.tins import tin_table
from airtcp.report.table import Table

_Record = TypeVar("_Record")


def run_tables(run: Run) -> list[Table]:
    """Everything worth a first look, every member of a group too."""
    return tables_of(run_record(run), every_member=True)


def tables_of(record: RunRecord, every_member: bool) -> list[Table]:
    """The tables of a run. Without `every_member` a group of many stands for its members."""
    most = None if every_member else MEMBERS_MOST

    def rows(records: Sequence[_Record], name: Callable[[_Record], str]) -> list[_Record]:
        hidden = left_out(record.groups, [name(one) for one in records], most)
        return [one for one in records if name(one) not in hidden]

    flows = rows(record.flows, lambda flow: flow.flow)
    all_the_time = (record.flows_from_s, record.flows_to_s) == (0, record.virtual_s)
    streams = rows(record.streams, lambda own: own.stream)
    pooled = [one for group in record.groups for one in group.latency]
    tables = [
        group_table(record.groups),
        flow_table(flows),
        limits_table(flows),
        mptcp_table(record.mptcp, record.flows),
        udp_table(flows),
        quic_table(record.quic),
        *transfer_tables(rows(record.transfers, lambda own: own.flow)),
        video_table(rows(record.videos, lambda own: own.flow)),
        stream_table(streams),
        jitter_table(streams),
        ping_table(rows(record.pings, lambda own: own.ping), None if all_the_time else record.rtt_ms),
        latency_table(pooled, rows(record.latency, lambda own: own.name)),
        queue_table(record.queues),
        tin_table(record.tins),
        dual_queue_table(record.dual_queues),
        wire_table(record.wires),
        radio_table(record.radios),
        program_table(record.programs),
    ]
    return [table for table in tables if table.rows]
