"""Tracing in lab guests: BPF programs and perf events at tracepoints, and the kernel's types."""

import shutil

import airtcp
import pytest
from airtcp.scenario.reading.scenario_file import scenario_from_tables

pytestmark = pytest.mark.guest

HIGHEST_CWND = "tracepoint:tcp:tcp_probe { @[args->sport] = max(args->snd_cwnd); } interval:s:1 { exit(); }"


def network():
    """A flow through a wire, in a guest whose mounts stay."""
    return scenario_from_tables(
        {
            "name": "traced",
            "duration": "5 s",
            "guest": {"flavour": "lab", "privileged": True, "namespaces": ["mount"]},
            "wire": [{"between": ["h1", "h2"], "rate": "10 Mbit/s", "delay": "10 ms"}],
            "flow": [{"from": "h1", "to": "h2"}],
        }
    )


@pytest.fixture
def h1(tmp_path):
    with airtcp.lab(network(), store=tmp_path) as lab:
        lab["h1"].run("mount -t tracefs none /sys/kernel/tracing").check()
        yield lab["h1"]


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def test_programs_find_them(h1):
    # The header of BTF (include/uapi/linux/btf.h): magic, version, flags, its length.
    assert h1.run("head -c 8 /sys/kernel/btf/vmlinux | od -An -tx1").output.split() == [
        *("9f", "eb", "01", "00"),
        *("18", "00", "00", "00"),
    ]


def test_events_of_the_kernel_are_written_down(h1):
    write = (
        "echo 1 >/sys/kernel/tracing/events/tcp/tcp_probe/enable; sleep 0.5; cat /sys/kernel/tracing/trace"
    )
    assert h1.run(write).output.count("tcp_probe: family=AF_INET") > 100


@needs("bpftrace")
def test_bpftrace_sees_congestion_windows(h1):
    told = h1.run(f"bpftrace -e '{HIGHEST_CWND}'", timeout="5 s").check().output
    assert "@[5001]: " in told


@needs("perf")
def test_perf_records_events_of_the_kernel(h1):
    # Without names of files perf uses pipes, which jobs have.
    record = "perf record -q -o /tmp/d -a -e tcp:tcp_probe sleep 0.5 && perf script -i /tmp/d"
    assert h1.run(record, timeout="5 s").check().output.count("tcp:tcp_probe: family=AF_INET") > 100


@needs("bpftool")
def test_bpftool_prints_types(h1):
    told = h1.run("bpftool btf dump file /sys/kernel/btf/vmlinux format c").output
    assert "struct tcp_sock {" in told
