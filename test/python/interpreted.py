# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the interpreter makes of a module, by relay-run."""

import os
import pathlib
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / os.environ.get("RELAY_BUILD_DIR", "build") / "bin"


def interpret(module, folder, *inputs):
    """The result of `main`, one tensor. Files are written into `folder`."""
    (folder / "program.mlir").write_text(module.print(elide_larger=None))
    for index, value in enumerate(inputs):
        np.save(folder / f"{index}.npy", value)
    subprocess.run([BIN / "relay-run", "--interpret", "program.mlir", "--output=result.npy",
                    *(f"--input={index}.npy" for index in range(len(inputs)))],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return np.load(folder / "result.npy")
