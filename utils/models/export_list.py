# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What exports.py writes, by names: of networks of PyTorch, FAMILY-NETWORK-EXPORTER-SIZES."""

import dataclasses
from typing import Any

from export_networks import LAYERS, TIMM, TORCHVISION
from export_packages import PACKAGES
from export_pipelines import PIPELINES
from export_transformers import TRANSFORMERS

_NETWORKS = {"layers": LAYERS, "torchvision": TORCHVISION, "timm": TIMM,
             "transformers": TRANSFORMERS}
_OTHERS: dict[str, dict[str, Any]] = {"pipeline": PIPELINES, "package": PACKAGES}


@dataclasses.dataclass
class _Exported:
    network: Any
    exporter: str
    is_open: bool

    def write(self, path):
        return self.network.write(path, self.exporter, self.is_open)


def _table() -> dict[str, Any]:
    table: dict[str, Any] = {}
    for family, networks in _NETWORKS.items():
        for index, (name, network) in enumerate(networks.items()):
            has_open = any(item.axes() for item in network.inputs)
            for exporter in ("dynamo", "script"):
                if has_open:
                    table[f"{family}-{name}-{exporter}-open"] = _Exported(network, exporter, True)
                # Known sizes are the easier case: each network once.
                if not has_open or exporter == ("dynamo", "script")[index % 2]:
                    table[f"{family}-{name}-{exporter}-known"] = _Exported(network, exporter, False)
    for family, examples in _OTHERS.items():
        table.update({f"{family}-{name}": example for name, example in examples.items()})
    return table


def names() -> list[str]:
    """The names of all models."""
    return list(_table())


def find(name: str) -> Any:
    """The model of a name; `write(path)` writes it and returns inputs of two runs."""
    return _table()[name]
