"""Scenarios of the kernel's mac80211, run in real guests, and what they left."""

from support import command
from support.command import run_text, scenario_file

HEAD = 'name = "x"\nduration = "4 s"\n'
WIRE = '[[wire]]\nbetween = ["ap1", "h1"]\n'
UP = '[[flow]]\nname = "up"\nfrom = "sta1"\nto = "h1"\n'
DOWN = '[[flow]]\nname = "down"\nfrom = "h1"\nto = "sta1"\nstart = "2 s"\n'
CELL = '[wifi.home]\nmac = "linux"\nstandard = "11n"\nstations = 1\n'


def airtcp(folder, text):
    return command.airtcp("run", scenario_file(folder, text), "--store", folder / "store")


def run(folder, text):
    made = run_text(folder, text)
    # WARN() of the kernel prints this; mac80211 has hundreds of them for what a driver does wrong.
    assert "WARNING: CPU" not in (made.folder / "console.log").read_text()
    return made


def goodput_mbps(run, name):
    flow = next(flow for flow in run.agent["flows"] if flow["name"] == name)
    start_ns = next(planned["start_ns"] for planned in run.plan["flows"] if planned["name"] == name)
    return flow["bytes_received"] * 8e3 / (run.plan["duration_ns"] - start_ns)


def output(run, name):
    return (run.folder / "programs" / f"{name}.out").read_text()


def program(name, node, command, start="1 s"):
    return (
        f'[[program]]\nname = "{name}"\nnode = "{node}"\nstart = "{start}"\n'
        f"command = '''{command}'''\nmust_succeed = true\n"
    )
