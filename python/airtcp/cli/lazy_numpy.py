"""numpy at its first use, because loading it takes as long as half of the commands."""

import importlib.util
import sys
from types import ModuleType


class _LazyNumpy(ModuleType):
    """Stands for numpy in `sys.modules` and loads it when somebody asks for one of its attributes.

    `importlib.util.LazyLoader` loads at the second `import numpy` already. Python 3.15 has `lazy import` for
    this (PEP 810).
    """

    def __getattr__(self, name: str) -> object:
        # A submodule asks for `__path__`, so it is imported after the whole package.
        if sys.modules.get("numpy") is self:
            del sys.modules["numpy"]
        numpy = importlib.import_module("numpy")
        self.__dict__.update(vars(numpy))
        return getattr(numpy, name)


def load_numpy_lazily() -> None:
    """Makes later imports of numpy load it at its first use, if it is there and not loaded yet."""
    spec = importlib.util.find_spec("numpy")
    if spec is not None and "numpy" not in sys.modules:
        sys.modules["numpy"] = _LazyNumpy("numpy")
        sys.modules["numpy"].__spec__ = spec
