"""Stands in for the suite's module `hwsim`: radios that a test makes are spare radios of the guest."""

import importlib
import sys
from types import TracebackType
from typing import Any

sys.path.append("/run/scenario/tools/lib")

from airtcp.mininet.guest import radio_pool


def _skip(reason: str) -> Exception:
    """The suite's exception for a test that is not possible here."""
    skip: Exception = importlib.import_module("utils").HwsimSkip(f"airtcp: {reason}")
    return skip


class HWSimController:
    """Makes and removes radios, as messages to mac80211_hwsim do."""

    def create_radio(self, n_channels: int | None = None, **options: Any) -> int:
        """Takes a spare radio and returns its number; a test that needs another kind of radio is skipped."""
        wanted = [name for name, value in options.items() if value]
        if (n_channels or 1) > 1:
            wanted.insert(0, f"n_channels={n_channels}")
        if wanted:
            raise _skip(f"radios have no {', '.join(wanted)}")
        try:
            return radio_pool.take()
        except radio_pool.PoolError as error:
            raise _skip("all radios of the guest are in use") from error

    def destroy_radio(self, radio_id: int) -> None:
        """Gives a radio back."""
        radio_pool.release(str(radio_id))


class HWSimRadio:
    """A radio from `with` to its end: its number and its interface."""

    def __init__(self, **options: Any) -> None:
        self._controller = HWSimController()
        self._options = options
        self._radio_id = -1

    def __enter__(self) -> tuple[int, str]:
        self._radio_id = self._controller.create_radio(**self._options)
        return self._radio_id, f"wlan{self._radio_id}"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._controller.destroy_radio(self._radio_id)
