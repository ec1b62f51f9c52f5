"""Prints a function of N operators, each on the one before.

    python chain.py N [typed | untyped | let]

typed: elementwise operators with their types; untyped: the same without any
type but the argument's; let: bound by lets.
"""
import sys

count = int(sys.argv[1])
kind = sys.argv[2] if len(sys.argv) > 2 else "typed"
if kind == "typed":
    print("func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {")
    for i in range(count):
        print(f"  %{i + 1} = relay.tanh %{i} : (tensor<4xf32>) -> tensor<4xf32>")
    print(f"  return %{count} : tensor<4xf32>\n}}")
else:
    unknown = "!relay.incomplete"
    print(f"func.func @main(%x: tensor<4xf32>) -> {unknown} {{")
    print("  %0 = relay.let \"x\" %x : tensor<4xf32>")
    operand = "tensor<4xf32>"
    for i in range(count):
        to = f"%t{i}" if kind == "let" else f"%{i + 1}"
        print(f"  {to} = relay.apply \"tanh\"(%{i}) : ({operand}) -> {unknown}")
        if kind == "let":
            print(f"  %{i + 1} = relay.let \"x\" {to} : {unknown}")
        operand = unknown
    print(f"  return %{count} : {unknown}\n}}")
