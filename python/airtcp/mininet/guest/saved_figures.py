"""A backend of matplotlib for guests, which have no display: figures are saved as pictures.

What is saved is a figure as it was drawn last with something in it: scripts empty their windows before they
close them. Files are `figures/NUMBER.png` of the run's programs, written when a figure is shown or closed,
and at the end.
"""

import atexit
import os
from pathlib import Path

import numpy as np
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import imsave

FOLDER = Path(os.environ.get("RUN_DIR", ".")) / "figures"


class FigureManager(FigureManagerBase):
    """A window that is a file."""

    canvas: "FigureCanvas"

    def show(self) -> None:
        """Saves the figure as it is now, if there is something in it."""
        self.canvas.draw()
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

    def draw(self) -> None:
        """Draws the figure."""
        super().draw()  # type: ignore[no-untyped-call]
        if any(part.has_data() or part.patches or part.texts for part in self.figure.axes):
            self.drawn = np.array(self.buffer_rgba())  # type: ignore[no-untyped-call]


@atexit.register
def save_all() -> None:
    """Saves what is still open."""
    for manager in Gcf.get_all_fig_managers():
        if isinstance(manager, FigureManager):
            manager.save()
