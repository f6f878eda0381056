"""Libraries that a page needs only at its end: they are loaded while others read runs or compute them."""

from functools import cache


@cache
def load_libraries() -> None:
    """Loads what draws figures and fills the page; this takes 0.3 s."""
    import jinja2  # noqa: F401
    import matplotlib.backends.backend_agg
    import matplotlib.backends.backend_svg  # noqa: F401


@cache
def load_statistics() -> None:
    """Loads what tests repetitions; this takes 0.5 s."""
    import scipy.stats  # noqa: F401
