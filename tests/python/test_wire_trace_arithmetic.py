"""The arithmetic of traces in the kernel, compiled for a test, against a second implementation in fractions."""

import ctypes
import random
import subprocess
from pathlib import Path

import pytest
from support.wire_reference import ReferenceWire, Step, siphash

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "kernel" / "src" / "arch" / "um" / "drivers" / "airtcp" / "wire" / "trace.c"
HEADERS = Path(__file__).parent / "support" / "kernel_headers"
NEVER = UNLIMITED = (1 << 64) - 1
NS_PER_S = 1_000_000_000
U64 = ctypes.c_uint64
SIPHASH = ctypes.CFUNCTYPE(U64, U64, U64, U64)
HASH = SIPHASH(lambda message, first, second: siphash(message, (first, second)))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The file of the kernel as a library; undefined behaviour ends the test."""
    folder = tmp_path_factory.mktemp("trace")
    main = folder / "main.c"
    main.write_text(f'#include "{SOURCE}"\nu64 (*siphash_of_the_test)(u64, u64, u64);\n')
    made = folder / "trace.so"
    options = ["-O1", "-Wall", "-Werror", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]
    command = ["gcc", *options, "-shared", "-fPIC", f"-I{HEADERS}", str(main), "-o", str(made)]
    subprocess.run(command, check=True)
    library = ctypes.CDLL(str(made))
    ctypes.c_void_p.in_dll(library, "siphash_of_the_test").value = ctypes.cast(HASH, ctypes.c_void_p).value
    library.airtcp_wire_trace_new.restype = ctypes.c_void_p
    library.airtcp_wire_trace_add.restype = ctypes.c_bool
    library.airtcp_wire_trace_loses.restype = ctypes.c_bool
    library.airtcp_wire_trace_depart.restype = U64
    library.airtcp_wire_trace_delay.restype = U64
    return library


class KernelWire:
    """One direction of a wire with the kernel's arithmetic, as `wire/send.c` uses it."""

    def __init__(self, library, steps, period_ns, key):
        self.library = library
        info = (U64 * 5)(0, period_ns or 0, *key, len(steps))
        self.trace = ctypes.c_void_p(library.airtcp_wire_trace_new(info))
        self.free_ns = self.fraction = self.last_arrival_ns = 0
        half = len(steps) // 2
        assert all(self.add(part) for part in (steps[:half], steps[half:]) if part)

    def add(self, steps):
        flat = [
            number
            for step in steps
            for number in (
                step.time_ns,
                UNLIMITED if step.rate_bps is None else step.rate_bps,
                step.delay_ns,
                round(step.loss * (1 << 53)),
            )
        ]
        numbers = (U64 * len(flat))(*flat)
        return self.library.airtcp_wire_trace_add(self.trace, numbers, ctypes.c_size_t(len(steps)))

    def carry(self, ready_ns, octets):
        """Start and arrival; the arrival is `None` if it is lost, and `NEVER`."""
        start_ns = max(ready_ns, self.free_ns)
        if start_ns > self.free_ns:
            self.fraction = 0
        work = U64(octets * 8 * NS_PER_S + self.fraction)
        self.free_ns = self.library.airtcp_wire_trace_depart(self.trace, U64(start_ns), ctypes.byref(work))
        self.fraction = work.value
        if self.free_ns == NEVER:
            return start_ns, NEVER
        delay_ns = self.library.airtcp_wire_trace_delay(self.trace, U64(self.free_ns))
        if self.library.airtcp_wire_trace_loses(self.trace, U64(self.free_ns)):
            return start_ns, None
        self.last_arrival_ns = max(self.last_arrival_ns, self.free_ns + delay_ns)
        return start_ns, self.last_arrival_ns


RATES = (0, 0, 1, 1_000, 12_345, 1_000_000, 333_333_333, 10**10, None, 1 << 52)


def steps_of(randomly):
    """Steps that carry something, and their period."""
    steps, time_ns = [], 0
    for _ in range(randomly.randint(1, 12)):
        delay_ns, loss = randomly.choice([0, 5, 10**6, 10**8]), randomly.choice([0.0, 0.1, 0.9, 1.0])
        steps.append(Step(time_ns, randomly.choice(RATES), delay_ns, loss))
        time_ns += randomly.choice([1, 7, 1000, 10**6, randomly.randint(1, 10**9)])
    # The second implementation counts laps one by one: a lap carries a good part of a frame.
    steps.append(Step(time_ns, randomly.choice([50_000_000, 10**9]), 3))
    return steps, time_ns + 10**6 if randomly.random() < 0.6 else None


@pytest.mark.parametrize("seed", range(300))
def test_the_kernel_computes_what_the_rules_say(library, seed):
    randomly = random.Random(seed)
    steps, period_ns = steps_of(randomly)
    key = (randomly.getrandbits(64), randomly.randint(0, 9))
    kernel, reference = KernelWire(library, steps, period_ns, key), ReferenceWire(steps, period_ns, key)
    ready_ns = 0
    for _ in range(60):
        ready_ns += randomly.choice([0, 1, 100, 10**4, 10**6, 10**8])
        octets = randomly.choice([60, 98, 1514])
        expected = reference.carry(ready_ns, octets)
        assert kernel.carry(ready_ns, octets) == (expected.start_ns, expected.arrival_ns)


def test_what_never_departs_takes_no_time_to_find_out(library):
    """By arithmetic: 12,112 bits at 1 bit/s in one nanosecond of six take 12,112 s x 6."""
    key = (1, 2)
    slow = KernelWire(library, [Step(0, 0, 0), Step(5, 1, 0)], 6, key)
    assert slow.carry(0, 1514) == (0, 12_112 * NS_PER_S * 6)
    assert KernelWire(library, [Step(0, 0, 0)], 6, key).carry(0, 1514) == (0, NEVER)
    assert KernelWire(library, [Step(0, 10, 0), Step(9, 0, 1)], None, key).carry(0, 1514) == (0, NEVER)


def test_steps_that_do_not_rise_are_refused(library):
    def wire():
        made = KernelWire(library, [], 10, (1, 2))
        made.trace = ctypes.c_void_p(library.airtcp_wire_trace_new((U64 * 5)(0, 10, 1, 2, 2)))
        return made

    assert not wire().add([Step(1, 1, 0)])
    assert not wire().add([Step(0, 1, 0), Step(0, 1, 0)])
    assert not wire().add([Step(0, 1, 0), Step(10, 1, 0)])
    assert not wire().add([Step(0, 1, 0), Step(1, 1, 0), Step(2, 1, 0)])
    assert wire().add([Step(0, 1, 0), Step(1, 1, 0)])
    for count in (0, 600_002, 1 << 60):
        assert library.airtcp_wire_trace_new((U64 * 5)(0, 0, 1, 2, count)) is None
