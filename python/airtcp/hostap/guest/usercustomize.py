"""What Python does before a program of the suite begins: `import hwsim` finds `hwsim_radios`.

The suite's own module of this name makes radios by messages to mac80211_hwsim. It stands beside run-tests.py,
where Python looks first.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

_STAND_IN = Path(__file__).with_name("hwsim_radios.py")


class _Finder:
    """Finds the module."""

    @staticmethod
    def find_spec(
        name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return spec_from_file_location(name, _STAND_IN) if name == "hwsim" else None


# Python's own finders have a method of the class, too.
sys.meta_path.insert(0, _Finder)
