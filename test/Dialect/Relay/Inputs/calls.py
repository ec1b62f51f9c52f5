"""Prints N functions without types, each of which calls the next one."""
import sys

count = int(sys.argv[1])
unknown = "!relay.incomplete"
print(f"func.func @f0(%x: tensor<4xf32>) -> {unknown} {{")
print(f"  %0 = relay.call @f1(%x) : (tensor<4xf32>) -> {unknown}")
print(f"  return %0 : {unknown}\n}}")
for i in range(1, count):
    print(f"func.func @f{i}(%x: {unknown}) -> {unknown} {{")
    print(f"  %0 = relay.apply \"tanh\"(%x) : ({unknown}) -> {unknown}")
    if i + 1 < count:
        print(f"  %1 = relay.call @f{i + 1}(%0) : ({unknown}) -> {unknown}")
        print(f"  return %1 : {unknown}\n}}")
    else:
        print(f"  return %0 : {unknown}\n}}")
