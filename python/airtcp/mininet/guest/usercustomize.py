"""What Python does before a script begins: `net.iperf()` of Mininet 2.3.0 knows the reports of today's iperf.

It waits until iperf's server has reported two connections, since the first is that with which Mininet tests
the port. iperf from 2.1 on reports nothing of a connection without data, so Mininet would wait for ever.
Mininet 2.3.1 looks for the report of its own client.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

_COUNTS_REPORTS = b"len( re.findall( '/sec', servout ) ) < count"
_LOOKS_FOR_A_RATE = b"not re.search( '[1-9][0-9.]* *[A-Za-z]+/sec', servout )"


class _NetLoader(SourceFileLoader):
    """Loads `mininet.net` from its source, with another condition of its loop."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        source = self.get_data(path).replace(_COUNTS_REPORTS, _LOOKS_FOR_A_RATE)
        return self.source_to_code(source, path)


class _NetFinder:
    """Finds `mininet.net` where Python does."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "mininet.net":
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _NetLoader(name, spec.origin)
        return spec


# Python's own finders have a method of the class, too.
sys.meta_path.insert(0, _NetFinder)
