"""Runs Debian's own tests of Mininet's examples, and prints for each how it went."""

import sys
import unittest
from pathlib import Path

FOLDER = "/usr/share/doc/mininet/examples/test"

# They call `python`, which Debian does not have.
python = Path("/usr/bin/python")
if not python.exists():
    python.symlink_to("python3")
sys.path.insert(0, FOLDER)
tests = unittest.TestLoader().loadTestsFromNames(sys.argv[1:])
# Tests look for options there.
sys.argv[1:] = []


class Outcomes(unittest.TextTestResult):
    """The outcomes of tests, each on a line of its own that nothing of an example can look like."""

    def addSuccess(self, test):  # noqa: N802
        print(f"\noutcome {test.id()}: passed")

    def addSkip(self, test, reason):  # noqa: N802
        print(f"\noutcome {test.id()}: skipped: {reason}")


done = unittest.TextTestRunner(resultclass=Outcomes).run(tests)
sys.exit(not done.wasSuccessful())
