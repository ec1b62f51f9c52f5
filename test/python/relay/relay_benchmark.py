"""Measures how long building, printing and checking 10,000 nodes takes.

    python test/python/relay/relay_benchmark.py

Exits with an error if building and printing take more than a second.
"""

import sys
import time

from relay_mlir import relay

NODES = 10000
LIMIT = 1.0


def main():
    relay.op.get("add")  # Imported before the clock starts.
    start = time.perf_counter()
    x = relay.var("x", shape=(8, 8))
    out: relay.Expr = x
    for _ in range(NODES // 2):
        out = relay.add(relay.nn.relu(out), x)
    function = relay.Function([x], out)
    built = time.perf_counter()
    text = function.astext()
    printed = time.perf_counter()
    parsed = relay.parse_expr(text)
    read = time.perf_counter()
    assert relay.structural_equal(parsed, function)
    compared = time.perf_counter()
    relay.transform.InferType()(relay.IRModule.from_expr(function))
    inferred = time.perf_counter()
    print(f"{NODES} nodes: build {built - start:.3f} s, print {printed - built:.3f} s, "
          f"parse {read - printed:.3f} s, compare {compared - read:.3f} s, "
          f"infer types {inferred - compared:.3f} s")
    return 0 if printed - start < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
