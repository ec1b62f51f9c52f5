"""The accelerator VTA: how long a network takes on one that is built in another way.

    from relay_mlir import vta
    points = vta.explore("network.mlir", vta.configurations(block=[8, 16, 32]))
    print(vta.table(points))
"""

from ._config import Config, configurations
from ._explore import Point, explore, pareto
from ._output import csv, plot, table

__all__ = ["Config", "Point", "configurations", "csv", "explore", "pareto", "plot", "table"]
