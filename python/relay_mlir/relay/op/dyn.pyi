# Written by relay_mlir.relay.op._stubs.
from typing import Any


