"""Modules under the names that TVM has for them.

There, relay.transform and relay.analysis are folders; here, they are files.
"""

from __future__ import annotations

import sys

from . import (_flexible_shapes, _recast, analysis, call_graph, features,
               transform)
from .op import op

_MODULES = {
    "analysis.analysis": analysis, "analysis.annotated_regions": analysis,
    "analysis.call_graph": call_graph, "analysis.count_layers": analysis,
    "analysis.feature": features, "transform.fake_quantization_to_integer": op,
    "transform.flexible_shape": _flexible_shapes, "transform.mixed_precision": op,
    "transform.recast": _recast, "transform.transform": transform,
}

for _name, _module in _MODULES.items():
    sys.modules[f"{__package__}.{_name}"] = _module
    _parent, _, _last = _name.partition(".")
    # `recast` is a function there, too.
    vars(sys.modules[f"{__package__}.{_parent}"]).setdefault(_last, _module)
