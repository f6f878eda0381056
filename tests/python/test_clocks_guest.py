"""Real guests: each node has ticks of its own, and the clock that its scenario gives it."""

import itertools
import re
from pathlib import Path

import pytest
from airtcp.execution.locate import find_kernel
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

pytestmark = pytest.mark.guest

HOSTS = [f"h{number}" for number in range(1, 9)]
TICK_S = 0.004
SLEEP_S = 2


def run(tables: dict[str, object], runner: Path, tmp_path: Path) -> Path:
    plan = compile_scenario(scenario_from_tables(tables))
    tools = Tools(runner, {plan["kernel"]: find_kernel(plan["kernel"])}, prepare_store(tmp_path / "runs"))
    return run_plan(plan, tools, Running(), lambda _: None).folder


def star(program: str, **keys: object) -> dict[str, object]:
    """Hosts around a switch, each with this program."""
    return {
        "name": "clocks",
        "duration": "5 s",
        "wire": [{"between": ["middle", host]} for host in HOSTS],
        "program": [
            {"name": host, "node": host, "command": program, "must_succeed": False} for host in HOSTS
        ],
        **keys,
    }


def printed(folder: Path, host: str) -> str:
    return (folder / "programs" / f"{host}.out").read_text()


def tick_phase_s(arp: str) -> float:
    """When in a tick the host's neighbour timer asks again for an address that nobody has."""
    times = [float(text) for text in re.findall(r"^(\d+\.\d+) ARP, Request who-has 10\.0\.0\.99", arp, re.M)]
    assert len(times) >= 3, arp
    phases = [time % TICK_S for time in times[1:]]
    assert max(phases) - min(phases) < 1e-5, "a host keeps its phase"
    return phases[0]


def test_hosts_do_not_tick_in_unison(real_runner: Path, tmp_path: Path) -> None:
    ask = "tcpdump -n -tt -l -Q out -c 3 -i eth0 arp & ping -c 1 -W 4 10.0.0.99; wait"
    folder = run(star(ask), real_runner, tmp_path)
    phases = sorted(tick_phase_s(printed(folder, host)) for host in HOSTS)
    # Of hosts that tick in unison all would be the same; eight that do not are seldom as close as 1 us.
    apart = [after - before for before, after in itertools.pairwise(phases)]
    assert min(apart) > 1e-6, phases
    assert max(phases) - min(phases) > TICK_S / 4


def test_programs_see_the_clock_of_their_node(real_runner: Path, tmp_path: Path) -> None:
    node = {
        "h1": {"clock_offset": "-3 ms"},
        "h2": {"clock_skew": "100 ppm"},
        "h3": {"clock_skew": "-100 ppm"},
    }
    shown = f"date +%s.%N; sleep {SLEEP_S}; date +%s.%N"
    folder = run(star(shown, node=node), real_runner, tmp_path)
    first, last = zip(
        *([float(line) for line in printed(folder, host).split()] for host in HOSTS), strict=True
    )
    true = first[3]
    # The programs of a run start together; each reads its clock some hundred microseconds later.
    assert first[0] - true == pytest.approx(-0.003, abs=0.0005)
    for host in range(3, len(HOSTS)):
        assert first[host] - true == pytest.approx(0, abs=0.0005)
    # A sleep is as long as the clock says that sleeps: seen by every node's own clock, two seconds.
    for before, after in zip(first, last, strict=True):
        assert after - before == pytest.approx(SLEEP_S, abs=0.0005)
    # By then the clocks are apart by what they have gained since the machine started: 3 s until the traffic begins, and the sleep.
    assert first[1] - true == pytest.approx(3 * 100e-6, abs=0.0005)
    assert first[2] - true == pytest.approx(-3 * 100e-6, abs=0.0005)


def test_a_clock_of_a_node_is_checked(real_runner: Path, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="clock_skew"):
        run(star("true", node={"h1": {"clock_skew": "2 s"}}), real_runner, tmp_path)


INTERVALS = """
import ctypes, signal, sys, time
libc = ctypes.CDLL("librt.so.1")
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
if sys.argv[1] == "setitimer":
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
else:
    timer = ctypes.c_void_p()
    libc.timer_create(time.CLOCK_MONOTONIC, None, ctypes.byref(timer))
    libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 100_000_000, 0, 100_000_000), None)
for _ in range(1 + 20):
    signal.sigwait({signal.SIGALRM})
    last = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    first = locals().get("first", last)
print(last - first)
"""


@pytest.mark.parametrize("kind", ["setitimer", "timer_create"])
def test_intervals_of_timers_are_those_of_the_hosts_clock(
    kind: str, real_runner: Path, tmp_path: Path
) -> None:
    """By its own clock a host sees what it asked for: 20 intervals of 0.1 s, whatever its skew."""
    node = {"h1": {"clock_skew": "500 ppm"}, "h2": {"clock_skew": "-500 ppm"}}
    folder = run(star(f"python3 - {kind} <<'END'\n{INTERVALS}\nEND", node=node), real_runner, tmp_path)
    for host in ("h1", "h2", "h3"):
        # Without the conversion of intervals it would be a millisecond.
        assert abs(int(printed(folder, host)) - 2_000_000_000) < 100_000, (host, printed(folder, host))
