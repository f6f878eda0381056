"""Libraries that a page needs only at its end: they are loaded while others read runs or compute them."""

from functools import cache


@cache
def load_libraries() -> None:
    """Loads what draws figures, tests samples and fills the page; together they take a second."""
    import jinja2  # noqa: F401
    import matplotlib.backends.backend_agg
    import matplotlib.backends.backend_svg  # noqa: F401
    import scipy.stats  # noqa: F401
