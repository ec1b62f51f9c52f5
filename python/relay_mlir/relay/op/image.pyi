# Written by relay_mlir.relay.op._stubs.
from typing import Any

def resize2d(data: Any, size: Any, roi: Any = ..., layout: Any = ..., method: Any = ..., coordinate_transformation_mode: Any = ..., rounding_method: Any = ..., cubic_alpha: Any = ..., cubic_exclude: Any = ..., extrapolation_value: Any = ..., out_dtype: Any = ...) -> Any: ...
