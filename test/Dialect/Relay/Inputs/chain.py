"""Prints a function of N elementwise operators, each on the one before."""
import sys

count = int(sys.argv[1])
print("func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {")
for i in range(count):
    print(f"  %{i + 1} = relay.tanh %{i} : (tensor<4xf32>) -> tensor<4xf32>")
print(f"  return %{count} : tensor<4xf32>\n}}")
