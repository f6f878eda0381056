"""The columns of a timeline and the messages of Perfetto, by numbers computed by hand."""

import json

import numpy as np
import polars as pl
import pytest
from airtcp.data.run_folder import open_run
from airtcp.scenario.compile.compiler import compile_file
from airtcp.timeline.counters import rates
from airtcp.timeline.lanes import lanes
from airtcp.timeline.packets import packets_of, unwrapped
from airtcp.timeline.perfetto.events import Events, Slices
from airtcp.timeline.perfetto.messages import number, table_of, varint
from airtcp.timeline.perfetto.trace import offset_ns, write_trace
from airtcp.timeline.timeline import timeline_of
from support.air_series import add_exchanges
from support.perfetto_trace import read_trace
from support.run_folder import write_run_folder


def whole(*values):
    return np.array(values, np.int64)


def decoded(row):
    return sum((byte & 0x7F) << 7 * place for place, byte in enumerate(row))


def test_numbers_are_varints_of_one_length_that_readers_take():
    values = whole(0, 1, 127, 128, 300, 2**40)
    tag, column = number(8, values)
    assert tag == b"\x40"
    assert column.table.shape == (6, 6)
    assert [decoded(row) for row in column.table.tolist()] == values.tolist()
    assert all(byte & 0x80 for row in column.table.tolist() for byte in row[:-1])
    assert [varint(value) for value in (0, 127, 128, 300)] == [b"\0", b"\x7f", b"\x80\x01", b"\xac\x02"]
    assert table_of([b"ab", column], 6).shape == (6, 8)


def test_slices_that_touch_do_not_nest_and_one_without_length_is_an_instant():
    events = Events(0)
    name = events.names.numbers(["a"])[np.zeros(3, np.int64)]
    events.slices(Slices(whole(0, 10, 20), whole(10, 20, 20), whole(1, 1, 1), name))
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

    trace = Trace.FromString(events.in_order().tobytes())
    kinds = [(packet.timestamp, packet.track_event.type) for packet in trace.packet]
    # 1 begin, 2 end, 3 instant.
    assert kinds == [(0, 1), (10, 2), (10, 1), (20, 2), (20, 3)]


def test_each_span_has_the_lowest_free_lane():
    assert lanes(whole(0, 1, 2, 5, 6), whole(5, 9, 4, 6, 7)).tolist() == [0, 1, 2, 0, 0]


def test_rates_stand_at_the_begin_of_their_interval():
    times, values = rates(whole(0, 100_000_000, 300_000_000), whole(0, 10, 50))
    assert times.tolist() == [0, 100_000_000, 300_000_000]
    assert values.tolist() == [100, 200, 200]


def test_sequence_numbers_go_on_where_32_bits_end():
    assert unwrapped(whole(2**32 - 1000, 2**32 - 100, 800, 2**32 - 100)).tolist() == [
        2**32 - 1000,
        2**32 - 100,
        2**32 + 800,
        2**32 - 100,
    ]


@pytest.fixture
def folder(tmp_path, first_toml):
    return write_run_folder(tmp_path / "runs", json.loads(json.dumps(dict(compile_file(first_toml)))))


def write_delays(folder, rows):
    names = ("time_ns", "flow", "direction", "sequence", "bytes", "delay_ns")
    u32 = dict.fromkeys(names[1:5], pl.UInt32)
    frame = pl.DataFrame(rows, schema=names, orient="row").cast(
        {"time_ns": pl.Int64, **u32, "delay_ns": pl.Int64}
    )
    frame.write_parquet(folder / "series" / "delays.parquet")


def test_packets_with_data_and_those_that_are_sent_again(folder):
    write_delays(
        folder,
        [
            (0, 0, 0, 1000, 52, 5),  # the handshake's acknowledgement
            (1, 0, 0, 1000, 1500, 5),
            (2, 0, 0, 2448, 1500, -1),
            (3, 0, 0, 3896, 1500, 5),
            (4, 0, 1, 77, 64, 5),  # with SACK
            (5, 0, 0, 2448, 1500, 5),
            (6, 0, 0, 5344, 1500, 5),
        ],
    )
    packets = packets_of(open_run(folder))
    assert packets.payload_bytes.tolist() == [0, 1448, 1448, 1448, 0, 1448, 1448]
    assert np.flatnonzero(packets.again).tolist() == [5]
    marks = {marks.name: marks.times_ns.tolist() for marks in timeline_of(open_run(folder)).marks}
    assert (marks["sent again"], marks["sent and lost"]) == ([5], [2])


def test_a_run_of_an_older_version_has_a_timeline(folder, tmp_path):
    add_exchanges(folder, 20)
    file = folder / "series" / "ppdus.parquet"
    later = ("format", "mcs", "streams", "width_mhz", "guard_ns", "ru_tones", "ru_index", "mpdus")
    pl.read_parquet(file).drop(later).write_parquet(file)
    timeline = timeline_of(open_run(folder))
    assert timeline.ppdus.modes == ("",)
    assert timeline.ppdus.users.tolist() == [1] * 38
    write_trace(timeline, tmp_path / "old.pftrace")
    with read_trace(tmp_path / "old.pftrace") as tables:
        assert tables.execute("select count(*) from slice where name = 'data, collision'").fetchone() == (2,)


def test_times_before_zero_move_all(folder, tmp_path):
    add_exchanges(folder, 3)
    file = folder / "series" / "txops.parquet"
    pl.read_parquet(file).with_columns(pl.col("start_ns") - 1000).write_parquet(file)
    timeline = timeline_of(open_run(folder))
    epoch_ns = timeline.run.plan["epoch_ns"]
    assert offset_ns(timeline) == epoch_ns > 0
    write_trace(timeline, tmp_path / "run.pftrace")
    with read_trace(tmp_path / "run.pftrace") as tables:
        (zero,) = tables.execute("select ts from slice where name like 'traffic may start%'").fetchone()
        assert zero == epoch_ns
        assert tables.execute("select min(ts) from slice").fetchone() == (epoch_ns - 1000,)
