"""Operators on images: `image.*`."""

import numpy as np

from ..expr import const
from ._build import populate
from ._registry import is_expr, make_call, to_ints

__all__ = ["resize2d"]


def resize2d(data, size, roi=None, layout="NCHW", method="linear",
             coordinate_transformation_mode="half_pixel", rounding_method="",
             cubic_alpha=-0.5, cubic_exclude=0, extrapolation_value=0.0, out_dtype=None):
    """Resizes images to `size` (height, width), which may be an expression."""
    attributes = {
        "layout": layout, "method": method,
        "coordinate_transformation_mode": coordinate_transformation_mode,
        "rounding_method": rounding_method, "cubic_alpha": cubic_alpha,
        "cubic_exclude": cubic_exclude, "extrapolation_value": extrapolation_value,
        "out_dtype": out_dtype}
    if is_expr(size) or is_expr(roi):
        if not is_expr(size):
            size = const(np.array(to_ints(size), "int64"))
        if not is_expr(roi):
            roi = const(np.array([0.0] * 4 if roi is None else roi, "float32"))
        return make_call("dyn.image.resize2d", [data, size, roi], attributes)
    size = to_ints(size)
    return make_call("image.resize2d", [data], {
        "size": size * 2 if len(size) == 1 else size, "roi": roi, **attributes})


populate(globals(), "image.", ["image"])
