"""A backend of matplotlib for guests, which have no display: figures are saved as pictures.

What is saved is a figure as it was painted last with something in it: scripts empty their windows before they
close them. Files are `figures/NUMBER.png` of the run's programs. Windows that go on changing are painted
once a virtual second: scripts that move something redraw as often as they can, and each time takes
milliseconds of real time.
"""

import atexit
import os
import time
from pathlib import Path

import numpy as np
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import imsave

FOLDER = Path(os.environ.get("RUN_DIR", ".")) / "figures"
PAINT_S = 1.0
"""Virtual seconds between two pictures of a window that changes."""
AT_ONCE = 50
"""Pictures of a window that are painted at once, whenever it changes: it may be one that then stays."""
REDRAW_S = 0.05
"""How long a script waits that lets its window redraw itself, by which scripts set their pace: 20 pictures a
second, as of a window on a screen."""


class FigureManager(FigureManagerBase):
    """A window that is a file."""

    canvas: "FigureCanvas"

    def show(self) -> None:
        """Saves the figure, if there is something in it and it was not just saved."""
        if self.canvas.paint_if_due():
            self.save()

    def destroy(self, *_: object) -> None:
        """Saves the figure as it was last."""
        self.save()

    def save(self) -> None:
        """Saves what was drawn last."""
        if self.canvas.drawn is not None:
            FOLDER.mkdir(exist_ok=True)
            imsave(FOLDER / f"{self.num}.png", self.canvas.drawn)


class FigureCanvas(FigureCanvasAgg):
    """What is drawn on."""

    manager_class = FigureManager
    drawn = None
    """Red, green, blue and opacity of each pixel."""
    _painted = 0
    _next_paint_s = 0.0

    def draw_idle(self, *_: object, **__: object) -> None:
        """Draws the figure, if it was not just drawn."""
        self.paint_if_due()

    def paint_if_due(self) -> bool:
        """Draws the figure, if the last time was long enough ago; whether it did."""
        now_s = time.monotonic()
        if self._painted >= AT_ONCE and now_s < self._next_paint_s:
            return False
        self._painted += 1
        self._next_paint_s = now_s + PAINT_S
        self.draw()
        return True

    def draw(self) -> None:
        """Draws the figure."""
        super().draw()  # type: ignore[no-untyped-call]
        if any(part.has_data() or part.patches or part.texts for part in self.figure.axes):
            self.drawn = np.array(self.buffer_rgba())  # type: ignore[no-untyped-call]

    def start_event_loop(self, timeout: float = 0) -> None:
        """Lets the window redraw itself, at least once."""
        time.sleep(max(timeout, REDRAW_S))


@atexit.register
def save_all() -> None:
    """Saves what is still open."""
    for manager in Gcf.get_all_fig_managers():
        if isinstance(manager, FigureManager):
            manager.save()
