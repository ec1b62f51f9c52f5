"""The command-line tools and libraries that a wheel carries, and what starts the tools.

It is no part of `relay_mlir`, which loads NumPy and the compiler before a tool could
start.
"""

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the program in bin/ that has the name under which this was called."""
    name = os.path.basename(sys.argv[0])
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    try:
        os.execv(program, sys.argv)
    except OSError as error:
        sys.exit(f"{name}: error: cannot run {program}: {error.strerror}")
