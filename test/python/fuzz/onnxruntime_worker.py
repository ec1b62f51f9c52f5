# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs models by ONNX Runtime, in the protocol of relay-test-onnx:

    run MODEL.onnx OUTPUT_PREFIX [INPUT.npy ...]
"""

import sys

import numpy as np
import onnxruntime


def serve(words):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(words[1], options,
                                           providers=["CPUExecutionProvider"])
    inputs = {info.name: np.load(path)
              for info, path in zip(session.get_inputs(), words[3:], strict=True)}
    outputs = session.run(None, inputs)
    for i, value in enumerate(outputs):
        np.save(f"{words[2]}{i}.npy", np.asarray(value))
    return len(outputs)


def main():
    for line in sys.stdin:
        try:
            answer = f"ok {serve(line.rstrip().split(chr(9)))}"
        except Exception as error:  # Any of many kinds.
            answer = "error " + " ".join(str(error).split())[:500]
        print(answer, flush=True)


main()
