"""The extended state of processors (x87, SSE, AVX) is that of each thread, though the guest's kernel moves it rarely."""

import pytest
from support.command import airtcp

pytestmark = pytest.mark.guest

# The rounding mode is a part of the state, and stays over system calls. The modes are those of fenv.h on x86.
PROGRAM = """
import ctypes, os, signal, threading, time

libm = ctypes.CDLL("libm.so.6")
NEAREST, UP = 0, 0x800
wrong = []


def expect(what, mode):
    if libm.fegetround() != mode:
        wrong.append((what, mode, libm.fegetround()))


def work(mode):
    libm.fesetround(mode)
    for _ in range(20):
        time.sleep(0.001)
        expect("thread", mode)
    child = os.fork()
    if child == 0:
        time.sleep(0.001)
        os._exit(libm.fegetround() != mode)
    if os.waitpid(child, 0)[1]:
        wrong.append(("child", mode))
    expect("parent", mode)


threads = [threading.Thread(target=work, args=(mode,)) for mode in (NEAREST, 0x400, UP, 0xC00)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

libm.fesetround(UP)
signal.signal(signal.SIGUSR1, lambda *_: None)
os.kill(os.getpid(), signal.SIGUSR1)
expect("signal", UP)
started = os.popen("python3 -c 'import ctypes; print(ctypes.CDLL(\\"libm.so.6\\").fegetround())'").read()
if int(started) != NEAREST:
    wrong.append(("exec", NEAREST, started))

# The registers of a copy hold its bytes while a page of the target is missing.
data = os.urandom(1 << 20)
if any(bytes(bytearray(data)) != data for _ in range(5)):
    wrong.append("copy")
print(wrong)
"""


SCENARIO = """
name = "state"
duration = "5 s"
[[wire]]
between = ["h1", "h2"]
[[program]]
name = "one"
node = "h1"
command = "python3 $SCENARIO_DIR/state.py"
files = ["state.py"]
[[program]]
name = "other"
node = "h2"
command = "python3 $SCENARIO_DIR/state.py"
files = ["state.py"]
"""


def test_each_thread_keeps_its_own(tmp_path):
    (tmp_path / "state.py").write_text(PROGRAM)
    (tmp_path / "state.toml").write_text(SCENARIO)
    answer = airtcp("run", "state.toml", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    said = {file.name: file.read_text() for file in tmp_path.glob("runs/*/programs/*.out")}
    assert said == {"one.out": "[]\n", "other.out": "[]\n"}
