"""A backend of matplotlib for guests, which have no display: figures are saved as pictures.

A figure is saved when it is shown or closed, and at the end. Files are `figures/NUMBER.png` of the run's
programs.
"""

import atexit
import os
from pathlib import Path

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

FOLDER = Path(os.environ.get("RUN_DIR", ".")) / "figures"


class FigureManager(FigureManagerBase):
    """A window that is a file."""

    def show(self) -> None:
        """Saves the figure as it is now."""
        FOLDER.mkdir(exist_ok=True)
        self.canvas.figure.savefig(FOLDER / f"{self.num}.png")

    def destroy(self, *_: object) -> None:
        """Saves the figure as it was last."""
        self.show()


class FigureCanvas(FigureCanvasAgg):
    """What is drawn on."""

    manager_class = FigureManager


@atexit.register
def save_all() -> None:
    """Saves what is still open."""
    for manager in Gcf.get_all_fig_managers():
        manager.show()
