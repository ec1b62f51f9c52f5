"""Programs of many operators, as text of MLIR.

    python large_graphs.py KIND SIZE > FILE

chain: one operator after another. residual: blocks of two convolutions, scaled, beside
what they are added to. random: operators read the last value or older ones. wide:
operators on one value, summed pairwise.
"""

import random
import sys

KINDS = ("chain", "residual", "random", "wide")
IMAGE = "tensor<1x8x8x8xf32>"


class Writer:
    """Lines of a function, and the names of its values."""

    def __init__(self):
        self.lines = [f"func.func @main(%x: {IMAGE}) -> {IMAGE} {{",
                      "  %s = relay.constant dense<0.5> : tensor<8x1x1xf32>",
                      "  %w = relay.constant dense<0.1> : tensor<8x8x1x1xf32>"]
        self.values = ["%x"]

    def add(self, operator, *operands, types=()):
        name = f"%v{len(self.values)}"
        types = [IMAGE] * (len(operands) - len(types)) + list(types)
        self.lines.append(f"  {name} = relay.{operator} {', '.join(operands)} : "
                          f"({', '.join(types)}) -> {IMAGE}")
        self.values.append(name)
        return name

    def conv(self, value):
        return self.add("nn.conv2d", value, "%w", types=["tensor<8x8x1x1xf32>"])

    def scaled(self, operator, value):
        return self.add(operator, value, "%s", types=["tensor<8x1x1xf32>"])

    def text(self):
        return "\n".join([*self.lines, f"  return {self.values[-1]} : {IMAGE}", "}", ""])


def _chain(writer, size, choice):
    while len(writer.values) <= size:
        writer.add(choice.choice(["exp", "tanh", "nn.relu", "negative"]), writer.values[-1])


def _residual(writer, size, choice):
    del choice
    while len(writer.values) <= size:
        value = start = writer.values[-1]
        for i in range(2):
            value = writer.scaled("add", writer.scaled("multiply", writer.conv(value)))
            value = writer.add("nn.relu", value) if i == 0 else writer.add("add", value, start)
        writer.add("nn.relu", value)


def _random(writer, size, choice):

    def pick():
        back = 0 if choice.random() < 0.5 else int(choice.expovariate(1 / 200))
        return writer.values[max(0, len(writer.values) - 1 - back)]

    while len(writer.values) <= size:
        kind = choice.random()
        if kind < 0.15:
            writer.conv(pick())
        elif kind < 0.5:
            writer.add(choice.choice(["add", "multiply", "maximum"]), pick(), pick())
        elif kind < 0.6:
            writer.scaled("multiply", pick())
        else:
            writer.add(choice.choice(["exp", "nn.relu", "tanh"]), pick())


def _wide(writer, size, choice):
    while len(writer.values) <= size // 2:
        if choice.random() < 0.5:
            writer.add("exp", "%x")
        else:
            writer.conv("%x")
    level = writer.values[1:]
    while len(level) > 1:
        pairs = [writer.add("add", a, b) for a, b in zip(level[::2], level[1::2])]
        level = pairs + level[len(pairs) * 2:]


def write(kind, size):
    """The text of a program of about `size` operators, the same each time."""
    writer = Writer()
    {"chain": _chain, "residual": _residual, "random": _random, "wide": _wide}[kind](
        writer, size, random.Random(1))
    return writer.text()


if __name__ == "__main__":
    sys.stdout.write(write(sys.argv[1], int(sys.argv[2])))
