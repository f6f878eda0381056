"""The arrays that metrics take and give."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Booleans = NDArray[np.bool_]
else:
    # Annotations are evaluated when a module is loaded; numpy should be loaded when it computes.
    Floats = Integers = Booleans = Any
