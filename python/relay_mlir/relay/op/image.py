"""Operators on images: `image.*`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..expr import Call, const, ExprLike
from ._build import populate
from ._registry import is_expr, make_call, to_ints

__all__ = ["resize2d"]


def resize2d(data: ExprLike, size: ExprLike, roi: Any = None, layout: str = "NCHW",
             method: str = "linear", coordinate_transformation_mode: str = "half_pixel",
             rounding_method: str = "", cubic_alpha: Any = -0.5, cubic_exclude: Any = 0,
             extrapolation_value: Any = 0.0, out_dtype: Any = None) -> Call:
    """Resizes images to `size` (height, width), which may be an expression."""
    attributes = {
        "layout": layout, "method": method,
        "coordinate_transformation_mode": coordinate_transformation_mode,
        "rounding_method": rounding_method, "cubic_alpha": cubic_alpha,
        "cubic_exclude": cubic_exclude, "extrapolation_value": extrapolation_value,
        "out_dtype": out_dtype}
    if is_expr(size) or is_expr(roi):
        if not is_expr(size):
            size = const(np.array(to_ints(size, "resize2d: 'size'"), "int64"))
        if not is_expr(roi):
            roi = const([0.0] * 4 if roi is None else roi, "float32")
        return make_call("dyn.image.resize2d", [data, size, roi], attributes)
    size = to_ints(size, "resize2d: 'size'")
    return make_call("image.resize2d", [data], {
        "size": size * 2 if len(size) == 1 else size, "roi": roi, **attributes})


populate(globals(), "image.", ["image"])
