"""A run's series: documented, named, decoded, and never wrong when a file is cut, foreign or damaged."""

import json
import math
import struct
import subprocess
import sys
from pathlib import Path

import airtcp
import polars as pl
import pytest
from airtcp.data import reference
from airtcp.data.completeness import check_rows
from airtcp.data.congestion_control_info import decode_congestion_control_info
from airtcp.data.run_folder import open_run
from airtcp.data.series.catalogue import IN_FILES
from airtcp.data.tcp_info import FIELDS, decode_tcp_info
from airtcp.errors import AirtcpError
from airtcp.plots.gantt import KIND_LOOKS, OUTCOME_LOOKS
from airtcp.quantities.flows import flow_time
from airtcp.report.run import report as run_report
from airtcp.report.run.warnings import run_warnings
from airtcp.wifi.ppdu import PPDU_KINDS, PPDU_OUTCOMES
from support.recorded_series import BBR, DCTCP, VEGAS, add_new_series

ROOT = Path(__file__).parents[2]
JSON_FILES = ("plan.json", "manifest.json", "summary.json")


@pytest.fixture
def new_run(run_folder):
    return add_new_series(run_folder)


def everything(folder):
    """Reads all of a run, as a careful reader would."""
    run = airtcp.load(folder)
    for name in run.recorded:
        run.named(name)
    return run


def of(name):
    """Reads what a file of a run is for."""
    return everything if name.endswith(".json") else lambda folder: open_run(folder).named(name.split(".")[0])


def refusal(folder, read=everything):
    with pytest.raises(AirtcpError) as caught:
        read(folder)
    return str(caught.value)


def test_the_reference_is_that_of_the_tables():
    assert (ROOT / "docs" / "reference" / "columns.md").read_text() == reference.columns_reference()


def test_rust_is_compared_with_these_declarations():
    assert (ROOT / "tests" / "series.json").read_text() == reference.series_declarations()


def test_every_series_has_names_beside_numbers(new_run):
    run = airtcp.load(new_run)
    assert run.recorded == tuple(IN_FILES)
    assert run.flows.select("flow_name", "cca").row(0) == ("sta1-h1", "cubic")
    assert run.acks.select("flow_name", "cca").row(1) == ("sta1-h1", "cubic")
    assert run.delays.select("flow_name", "delay_ns").rows() == [("sta1-h1", 7_000_000), ("sta1-h1", -1)]
    assert run.pings["ping_name"][0] == "sta1-h1"
    assert run.transfers.select("flow_name", "workload").row(0) == ("sta1-h1", "bulk")
    assert run.datagrams.select("stream_name", "delay_ns").row(1) == ("voice", -1)
    assert run.qdiscs.select("node_name", "interface_name", "qdisc").row(0) == ("ap1", "wlan0", "pfifo")
    assert run.air.filter(run.air["nic"] == 1)["node_name"][0] == "sta1"
    assert run.links.select("node_name", "peer_name").row(0) == ("sta1", "ap1")
    assert run.ppdus.select("node_name", "to_name", "kind_name", "outcome_name").rows() == [
        ("ap1", None, "beacon", "received"),
        ("sta1", "ap1", "data", "corrupted"),
    ]
    assert run.pandas("pings")["ping_name"].tolist()[0] == "sta1-h1"


def test_older_runs_are_read_and_tell_what_they_lack(run_folder):
    run = airtcp.load(run_folder)
    assert "app_limited_ns" not in run.flows.columns
    message = refusal(
        run_folder, lambda folder: open_run(folder).series("flows", "time_ns", "app_limited_ns")
    )
    assert "flows.parquet: has no column app_limited_ns: the run was recorded by an older version" in message
    assert "Run its scenario again" in message
    assert "cc_kind" in refusal(run_folder, lambda folder: open_run(folder).congestion_control_info(0))
    assert "acks.parquet: is missing" in refusal(run_folder, lambda folder: open_run(folder).acks)
    unknown = refusal(run_folder, lambda folder: open_run(folder).series("flows", "cwdn"))
    assert 'no column "cwdn"' in unknown
    assert "Known: time_ns, flow" in unknown
    assert 'there is no series "flow"' in refusal(run_folder, lambda folder: open_run(folder).series("flow"))
    assert "there is no flow 'x'" in refusal(run_folder, lambda folder: open_run(folder).tcp_info("x"))


# Raw structures


def test_fields_of_tcp_info_are_those_of_the_kernels_header(tmp_path):
    """The compiler's offsets of every field that any header of today has."""
    plain = [field for field in FIELDS if field.bits >= 8 and field.since == (0, 0)]
    suffixes = ("_us", "_ms", "_bytes_per_s")
    theirs = {}
    for field in plain:
        name = field.name
        for suffix in suffixes:
            name = name.removesuffix(suffix)
        theirs[field.name] = f"tcpi_{name}"
    # names that have no unit in the header but look as if they had
    lines = "".join(
        f'printf("{ours} %zu %zu\\n", offsetof(struct tcp_info, {name}), sizeof(((struct tcp_info *)0)->{name}));\n'
        for ours, name in theirs.items()
    )
    source = tmp_path / "offsets.c"
    source.write_text(
        f"#include <stdio.h>\n#include <stddef.h>\n#include <linux/tcp.h>\nint main(void) {{\n{lines}}}\n"
    )
    subprocess.run(["cc", "-o", str(tmp_path / "offsets"), str(source)], check=True, capture_output=True)
    out = subprocess.run([str(tmp_path / "offsets")], capture_output=True, text=True, check=True).stdout
    told = {
        name: (int(offset), int(size) * 8)
        for name, offset, size in (line.split() for line in out.splitlines())
    }
    assert len(told) > 45
    assert {field.name: (field.offset, field.bits) for field in plain if field.name in told} == told


def samples(raw, kinds=None):
    columns = {
        "time_ns": list(range(len(raw))),
        "tcp_info": raw,
        "cc_info": raw,
        "cc_kind": kinds or [0] * len(raw),
    }
    return pl.DataFrame(columns)


def test_tcp_info_is_decoded():
    raw = bytearray(range(248)) + bytearray(28) + bytes([0b1001_1010, 0, 0, 0]) + b"new!"
    row = decode_tcp_info(samples([bytes(raw)] * 2), "6.12", Path("f")).row(1, named=True)
    assert (row["time_ns"], row["ca_state"], row["snd_wscale"], row["rcv_wscale"]) == (1, 1, 6, 0)
    assert (row["delivery_rate_app_limited"], row["fastopen_client_fail"]) == (1, 3)
    assert row["snd_cwnd"] == struct.unpack_from("<I", raw, 80)[0]
    assert row["delivery_rate_bytes_per_s"] == struct.unpack_from("<Q", raw, 160)[0]
    assert row["total_rto_recoveries"] == struct.unpack_from("<H", raw, 242)[0]
    assert row["total_rto_time_ms"] == struct.unpack_from("<I", raw, 244)[0]
    modes = (row["ecn_mode"], row["accecn_opt_seen"], row["accecn_fail_mode"])
    assert (*modes, row["unknown"]) == (2, 2, 9, b"new!")
    with pytest.raises(AirtcpError, match="100 bytes, not 104"):
        decode_tcp_info(samples([bytes(100)]), "6.12", Path("f"))
    assert decode_tcp_info(samples([bytes(raw)]).clear(), "6.12", Path("f")).height == 0


def test_tcp_info_has_the_length_that_its_kernel_has():
    """Of one run measured on machines with several kernels each row has its own."""
    whole = bytes(range(1, 251)) + bytes(30) + b"x" * 32
    rows = decode_tcp_info(samples([whole, whole[:232], whole[:172]]), "7.2", Path("f"))
    assert rows["unknown"].to_list() == [b"x" * 32, b"", b""]
    assert rows["delivered_ce_bytes"].is_null().to_list() == [False, True, True]
    assert rows["snd_wnd"].is_null().to_list() == [False, False, True]
    assert rows["rcv_wnd"].is_null().to_list() == [False, True, True]
    assert rows["busy_time_us"].is_null().to_list() == [False, False, True]
    assert rows["min_rtt_us"].to_list() == [struct.unpack_from("<I", whole, 148)[0]] * 3


def test_zeros_that_no_kernel_wrote_are_no_fields():
    """Runs of earlier versions have 256 bytes of every kernel."""
    of_6_1 = bytes(range(1, 233)) + bytes(24)
    row = decode_tcp_info(samples([of_6_1]), "6.1-hz1000", Path("f")).row(0, named=True)
    assert (row["rcv_wnd"], row["total_rto"], row["unknown"]) == (None, None, b"")
    assert row["snd_wnd"] == struct.unpack_from("<I", of_6_1, 228)[0]
    row = decode_tcp_info(samples([bytes(256)]), "6.12", Path("f")).row(0, named=True)
    assert (row["rcv_wnd"], row["received_ce"], row["ecn_mode"], row["unknown"]) == (0, None, None, b"")


def test_congestion_controls_tell_of_themselves(new_run):
    row = airtcp.load(new_run).congestion_control_info("sta1-h1").row(0, named=True)
    del row["time_ns"]
    bbr = {"bandwidth_bps": 10_000_000, "min_rtt_us": 20_000, "pacing_gain": 1.25, "cwnd_gain": 2.0}
    assert row == {"kind": "bbr", **bbr}
    off = struct.pack("<2H3I4x", 0, 0, 0, 0, 0)
    unset = struct.pack("<5I", 0, 1, 0xFFFF_FFFF, 739, 739)
    raw = [DCTCP, VEGAS, off, unset, bytes(20), BBR]
    dctcp, vegas, fallen, fresh, none, _ = decode_congestion_control_info(
        samples(raw, [2, 1, 2, 3, 0, 3]), Path("f")
    ).iter_rows(named=True)
    assert (dctcp["alpha"], dctcp["marked_bytes"], dctcp["acked_bytes"]) == (0.25, 3000, 9000)
    assert (vegas["rtt_us"], vegas["rtt_count"], vegas["min_rtt_us"]) == (25_000, 7, None)
    assert (fallen["enabled"], fallen["alpha"]) == (0, None)
    assert (fresh["bandwidth_bps"], fresh["min_rtt_us"]) == (2**32 * 8, None)
    assert (none["kind"], none["pacing_gain"]) == ("none", None)
    with pytest.raises(AirtcpError, match="cc_kind 4"):
        decode_congestion_control_info(samples([BBR], [4]), Path("f"))


# Damage


def files(folder):
    return [
        *(folder / name for name in JSON_FILES),
        *(folder / "series" / f"{name}.parquet" for name in IN_FILES),
    ]


def test_any_file_cut_anywhere_is_told(new_run):
    for file in files(new_run):
        whole = file.read_bytes()
        for length in {0, 1, 4, 8, *range(0, len(whole), len(whole) // 8), len(whole) - 8, len(whole) - 1}:
            file.write_bytes(whole[:length])
            assert file.name in refusal(new_run, of(file.name))
        file.write_bytes(whole)
    everything(new_run)


def test_any_file_of_another_kind_is_told(new_run):
    """Each file in the place of others, and files that have nothing to do with runs."""
    strange = (b"time_ns,flow\n1,2\n", b"\x00" * 64, b"PAR1" * 8, b"{}", b"[]", b"\xff\xfe")
    all_files = files(new_run)
    for place, file in enumerate(all_files):
        whole = file.read_bytes()
        others = [all_files[(place + step) % len(all_files)].read_bytes() for step in (1, 2, 4)]
        for content in (*others, *strange):
            file.write_bytes(content)
            assert file.name in refusal(new_run, of(file.name))
        file.write_bytes(whole)
    everything(new_run)


@pytest.mark.parametrize("name", IN_FILES)
def test_columns_that_are_wrong_are_told(new_run, name):
    file = new_run / "series" / f"{name}.parquet"
    whole, read = pl.read_parquet(file), open_run(new_run)
    for column in IN_FILES[name].columns:
        damages = [pl.lit("x"), pl.lit(1.5), pl.lit(math.nan), pl.lit(None, dtype=whole.schema[column.name])]
        if column.type != "bytes" and column.least is not None:
            damages.append(pl.lit(-2, dtype=pl.Int64))
        for damage in damages:
            whole.with_columns(damage.alias(column.name)).write_parquet(file)
            message = refusal(read, lambda run: run.named(name))
            assert f"{name}.parquet: " in message
            assert column.name in message
        if not column.later:
            whole.drop(column.name).write_parquet(file)
            assert f"has no column {column.name}" in refusal(read, lambda run: run.named(name))


@pytest.mark.parametrize("name", ["flows", "pings", "air", "qdiscs"])
def test_rows_that_are_missing_are_told(new_run, name):
    """At the start, in the middle, at the end, one or many."""
    file = new_run / "series" / f"{name}.parquet"
    whole = pl.read_parquet(file)
    half = whole.height // 2
    for kept in (
        whole[1:],
        whole[:-1],
        whole[:half],
        whole[half:],
        whole[:0],
        pl.concat([whole[:7], whole[8:]]),
    ):
        kept.write_parquet(file)
        assert f"{name}.parquet: is damaged: rows are missing" in refusal(new_run, of(name))
    whole.reverse().write_parquet(file)
    assert everything(new_run).series(name).height == whole.height


def test_a_flow_that_ended_or_failed_may_have_fewer_rows(new_run):
    file, summary = new_run / "series" / "flows.parquet", new_run / "summary.json"
    whole, told = pl.read_parquet(file), json.loads(summary.read_text())
    whole[:50].write_parquet(file)
    told["agent"]["flows"][0]["finished_ns"] = 5_050_000_000
    summary.write_text(json.dumps(told))
    assert everything(new_run).flows.height == 50
    told["agent"]["flows"][0] |= {"finished_ns": None, "error": "Connection timed out"}
    summary.write_text(json.dumps(told))
    assert everything(new_run).flows.height == 50


def test_rows_of_another_run_are_told(new_run):
    for name, column in (
        ("flows", "flow"),
        ("pings", "ping"),
        ("air", "nic"),
        ("links", "peer"),
        ("qdiscs", "node"),
    ):
        file = new_run / "series" / f"{name}.parquet"
        whole = pl.read_parquet(file)
        whole.with_columns(pl.lit(9, dtype=pl.UInt32).alias(column)).write_parquet(file)
        assert "that the plan does not have" in refusal(new_run, of(name))
        whole.write_parquet(file)


def test_a_counter_that_goes_back_is_told(new_run):
    file = new_run / "series" / "flows.parquet"
    whole = pl.read_parquet(file)
    back = pl.when(pl.col("time_ns") == 5_000_000_000).then(0).otherwise(pl.col("bytes_received"))
    whole.with_columns(back.alias("bytes_received")).write_parquet(file)
    assert "column bytes_received is a counter and goes back" in refusal(new_run)


def test_files_of_different_runs_are_told(new_run):
    plan, summary = (json.loads((new_run / name).read_text()) for name in ("plan.json", "summary.json"))
    (new_run / "plan.json").write_text(json.dumps({**plan, "duration_ns": 1}))
    assert "is not the plan that was run" in refusal(new_run)
    (new_run / "plan.json").write_text(json.dumps(plan, sort_keys=True))
    summary["agent"]["flows"][0]["name"] = "other"
    (new_run / "summary.json").write_text(json.dumps(summary))
    assert "has other flows than the plan" in refusal(new_run)
    (new_run / "summary.json").write_text('{"agent": NaN, "air": 1}')
    assert "summary.json: is damaged: it is not JSON" in refusal(new_run)


def test_airtcp_alone_is_quick_to_import():
    code = "import sys, airtcp; assert not {'polars', 'numpy', 'pydantic'} & set(sys.modules); airtcp.load"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(ROOT / "python")})


def with_end(folder, end_ns):
    """The run as one that ended then, without later samples."""
    summary = json.loads((folder / "summary.json").read_text())
    summary["agent"]["end_ns"] = end_ns
    flows = folder / "series" / "flows.parquet"
    pl.read_parquet(flows).filter(pl.col("time_ns") <= end_ns).write_parquet(flows)
    pings = pl.read_parquet(folder / "series" / "pings.parquet").filter(pl.col("time_ns") < end_ns)
    pings.write_parquet(folder / "series" / "pings.parquet")
    counts = summary["agent"]["pings"][0]
    counts |= {"sent": pings.height, "received": int((pings["rtt_ns"] >= 0).sum())}
    (folder / "summary.json").write_text(json.dumps(summary))


def test_a_run_that_ended_early_is_complete_up_to_its_end(run_folder):
    whole = airtcp.load(run_folder)
    assert whole.end_ns == whole.plan["duration_ns"]
    with_end(run_folder, 4_000_000_000)
    run = everything(run_folder)
    assert run.end_ns == 4_000_000_000
    assert flow_time(run, 0) == (run.plan["flows"][0]["start_ns"], 4_000_000_000)
    assert run_report.run_tables(run)
    flows = run_folder / "series" / "flows.parquet"
    pl.read_parquet(flows).filter(pl.col("time_ns") < 3_500_000_000).write_parquet(flows)
    assert "rows are missing: flow sta1-h1 ends at 3.4 s" in refusal(run_folder)


def test_samples_are_needed_up_to_the_end_and_not_beyond():
    second = 1_000_000_000
    sampling = {"air_interval_ns": second, "qdiscs_interval_ns": second}
    plan = {"duration_ns": 10 * second, "sampling": sampling, "flows": [], "pings": []}
    plan["air"] = {"nics": [{"node": "sta1"}]}
    plan["nodes"] = [{"interfaces": [{"egress": {"queue": {"kind": "packets"}}}]}]
    air = pl.DataFrame({"time_ns": [n * second for n in range(5)], "nic": [0] * 5})
    qdiscs = pl.DataFrame(
        {"time_ns": [second, 2 * second, 3 * second, 4 * second, 4 * second + 7], "node": [0] * 5}
    )
    for name, frame in (("air", air), ("qdiscs", qdiscs)):
        check_rows(name, frame, plan, {"end_ns": 4 * second + 7}, Path("x"))
        check_rows(name, frame, plan, {"end_ns": 4 * second}, Path("x"))
        for agent in ({}, {"end_ns": 6 * second}):
            with pytest.raises(AirtcpError, match="rows are missing"):
                check_rows(name, frame, plan, agent, Path("x"))


def test_a_run_whose_report_does_not_tell_its_end_lasted_as_planned(run_folder):
    summary = json.loads((run_folder / "summary.json").read_text())
    del summary["agent"]["end_ns"]
    (run_folder / "summary.json").write_text(json.dumps(summary))
    assert airtcp.load(run_folder).end_ns == airtcp.load(run_folder).plan["duration_ns"]


def test_what_begins_after_the_end_did_not_fail(run_folder):
    summary = json.loads((run_folder / "summary.json").read_text())
    agent = summary["agent"]
    agent["flows"][0]["connected_ns"] = None
    (run_folder / "summary.json").write_text(json.dumps(summary))
    assert run_warnings(airtcp.load(run_folder)) == ["flow sta1-h1 never connected"]
    agent["end_ns"] = airtcp.load(run_folder).plan["flows"][0]["start_ns"]
    (run_folder / "summary.json").write_text(json.dumps(summary))
    assert run_warnings(airtcp.load(run_folder)) == []


def test_every_kind_and_outcome_of_ppdus_has_its_look():
    assert tuple(KIND_LOOKS) == PPDU_KINDS
    assert ("received", *OUTCOME_LOOKS) == PPDU_OUTCOMES
