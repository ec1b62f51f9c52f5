"""The notebooks of ../shared/seeds, cell by cell, with other import lines only.

What a cell prints begins with what the notebook shows of it, up to white space. Cells that
cannot run are in CANNOT_RUN, with the reason.
"""

import ast
import contextlib
import io
import pathlib
import re
from typing import Any

import numpy as np
import pytest

import relay_mlir.compat as tvm
from relay_mlir import relay

SEEDS = pathlib.Path(__file__).resolve().parents[4] / "shared" / "seeds"
BYOC = SEEDS / "002_3943715c8d4bcaf6.txt"
NOTES = SEEDS / "003_2233471338fec3a4.txt"
pytestmark = pytest.mark.skipif(not SEEDS.is_dir(), reason="the shared models are absent, and the notebooks")

# Cells by notebook and number, and why they cannot run.
CANNOT_RUN: dict[tuple[str, int], str] = {}

IMPORTS = {
    "import tvm": "import relay_mlir.compat as tvm",
    "import tvm.relay as relay": "from relay_mlir import relay",
    "import tvm.relay.op": "import relay_mlir.compat as tvm",
    "from tvm import relay": "from relay_mlir import relay",
    "from tvm.contrib import graph_runtime":
        "from relay_mlir.compat import contrib; graph_runtime = contrib.graph_runtime",
    "from tvm.relay import transform": "from relay_mlir.relay import transform",
    "from tvm.relay.dataflow_pattern import is_op, wildcard":
        "from relay_mlir.relay.dataflow_pattern import is_op, wildcard",
}


def words(text):
    """Without lines of signs, which the notebooks have lost."""
    return re.sub(r"\s+", " ", re.sub(r"^=+$", "", text, flags=re.M)).strip()


def change_imports(code):
    """The code with our imports; an import that has no other name here is an error."""
    lines = []
    for line in code.splitlines():
        bare = line.strip()
        if re.match(r"(import|from) tvm\b", bare):
            line = line.replace(bare, IMPORTS[bare])
        lines.append(line)
    return "\n".join(lines)


def find_code(lines):
    """The longest beginning that is a program, and the rest."""
    for count in range(len(lines), 0, -1):
        with contextlib.suppress(SyntaxError):
            if ast.parse("\n".join(lines[:count])).body:
                # A line such as `#[version = "0.0.5"]` is no comment of the program.
                while not lines[count - 1].strip() or lines[count - 1].startswith("#["):
                    count -= 1
                return "\n".join(lines[:count]), lines[count:]
    raise AssertionError(f"no code in {lines[:3]}")


def find_output(lines):
    """The first block of lines that is what a cell has printed."""
    block: list[str] = []
    for line in lines:
        starts = line.startswith(("#[version", "tvmgen_"))
        if block and not line.strip():
            break
        if block or starts:
            block.append(line)
    return "\n".join(block)


def cells(path):
    """(number, code, output) of each cell."""
    parts = re.split(r"^In \[(\d+)\]:\n", path.read_text(), flags=re.M)
    for number, text in zip(parts[1::2], parts[2::2]):
        code, rest = find_code(text.splitlines())
        yield int(number), code, find_output(rest)


def run(code, variables):
    """What a program prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(change_imports(code), "<cell>", "exec"), variables)
    return output.getvalue()


def make_byoc_target():
    """A code generator for what the notebook gives its target: C for a sum of scalars, for
    its pattern, and for a reshape."""

    def size(expr):
        return int(np.prod(expr.checked_type.concrete_shape))

    def statement(node, names):
        args = [names[arg] for arg in node.args]
        if isinstance(node.op, relay.Function):
            assert node.op.attrs["Composite"] == "byoc-target.conv2d_relu_with_bias"
            return f"conv({args[0]}, {args[1]}, {args[2]}, {{}});"
        if node.op.name == "add":
            return f"*(int32_t *){{}} = *(const int32_t *){args[0]} + {args[1]};"
        assert node.op.name == "reshape"
        return f"memcpy({{}}, {args[0]}, 4 * {size(node)});"

    @relay.codegen.register("byoc-target")
    def generate(mod):
        lines = ["""#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static void conv(const float *x, const float *w, const float *b, float *y) {
  for (int o = 0; o < 32; ++o)
    for (int i = 0; i < 56; ++i)
      for (int j = 0; j < 56; ++j) {
        float sum = b[o];
        for (int c = 0; c < 32; ++c)
          for (int p = 0; p < 3; ++p)
            for (int q = 0; q < 3; ++q) {
              int r = i + p - 1, s = j + q - 1;
              if (r >= 0 && r < 56 && s >= 0 && s < 56)
                sum += x[(c * 56 + r) * 56 + s] * w[((o * 32 + c) * 3 + p) * 3 + q];
            }
        y[(o * 56 + i) * 56 + j] = sum > 0 ? sum : 0;
      }
}"""]
        for var, function in mod.functions_items():
            lines.append(f"int32_t {var.name_hint}(void *const *args, const int64_t *dims, "
                         "const void *context) {")
            names: dict[Any, str] = {p: f"args[{i}]" for i, p in enumerate(function.params)}
            result = f"args[{len(function.params)}]"
            inner: set[Any] = set()

            def find_inner(node, inner=inner):
                if isinstance(node, relay.Function):
                    relay.post_order_visit(node.body, inner.add)

            relay.post_order_visit(function.body, find_inner)

            def visit(node, names=names, function=function, result=result, inner=inner):
                if node in inner:
                    return
                if isinstance(node, relay.Constant):
                    names[node] = str(int(node.data.numpy()))
                if isinstance(node, relay.Call):
                    names[node] = result if node.same_as(function.body) else f"v{len(names)}"
                    if names[node] != result:
                        lines.append(f"void *{names[node]} = malloc(4 * {size(node)});")
                    lines.append(statement(node, names).format(names[node]))

            relay.post_order_visit(function.body, visit)
            lines += [f"free({name});" for name in names.values() if name.startswith("v")]
            lines.append("return 0; }")
        return relay.codegen.CSource("\n".join(lines))


def check_close(actual, expected):
    # Sums of 288 products of float32, up to three times.
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=1e-4, atol=1e-5)


def test_byoc():
    """The notebook, and then what it ends before: its functions get code, and run."""
    for name in ("reshape", "add"):
        relay.op.get(name).reset_attr("target.byoc-target")
    variables: dict[str, Any] = {"__name__": "notebook"}
    numbers = []
    for number, code, expected in cells(BYOC):
        if (BYOC.name, number) in CANNOT_RUN:
            continue
        printed = run(code, variables)
        assert words(printed).startswith(words(expected)), f"cell {number}"
        assert bool(printed) == ("print(" in code)
        assert bool(expected) == bool(printed)
        numbers.append(number)
    assert numbers == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]
    mod, parts = variables["mod"], variables["mod5"]
    rng = np.random.default_rng(0)

    def random_values(function):
        return [np.asarray(rng.standard_normal(param.checked_type.concrete_shape) / 8,
                           param.checked_type.dtype) for param in function.params]

    # Each function as code of C.
    make_byoc_target()
    for var, function in parts.functions_items():
        if var.name_hint == "main":
            continue
        program = relay.IRModule({var: function})
        params = [relay.var(f"x{i}", type_annotation=param.checked_type)
                  for i, param in enumerate(function.params)]
        program["main"] = relay.Function(params, relay.Call(program.get_global_var(
            var.name_hint), params))
        program = relay.transform.InferType()(program)
        values = random_values(function)
        run_part = relay.build(program, target="llvm")["default"](tvm.cpu(0))
        run_part.run(**{f"x{i}": value for i, value in enumerate(values)})
        check_close(run_part.get_output(0).numpy(), relay.create_executor(
            "debug", mod=program).evaluate()(*values))
    # The whole program, whose loop the virtual machine runs. What it runs of others is Relay.
    seen: list[str] = []

    @relay.codegen.register("byoc-target")
    def generate(functions):
        seen.extend(var.name_hint for var in functions.functions)
        return functions

    values = random_values(mod["main"])
    check_close(relay.create_executor("vm", mod=parts).evaluate()(*values),
                relay.create_executor("debug", mod=mod).evaluate()(*values))
    assert sorted(seen) == [f"tvmgen_default_byoc_target_main_{i}" for i in (0, 2, 5)]


def test_notes():
    """Both programs, to what they print and compute."""
    programs = re.findall(r"^ *```\n(.*?)^ *```", NOTES.read_text(), re.M | re.S)
    assert len(programs) == 2
    variables: list[dict[str, Any]] = []
    for code in programs:
        lines = [line[4:] if line.startswith("    ") else line for line in code.splitlines()]
        variables.append({"__name__": "notes"})
        printed = run("\n".join(lines), variables[-1])
        assert "Relay module function:" in printed and "TVM parameters:" in printed
    hello, block = variables
    assert "add(%x, 1i64" in hello["mod"].astext(show_meta_data=False)
    # The block, by the interpreter.
    names = [param.name_hint for param in block["mod"]["main"].params]
    np.random.seed(0)
    params = {name: np.random.uniform(-1, 1, param.checked_type.concrete_shape).astype("float32")
              for name, param in zip(names, block["mod"]["main"].params) if name != "data"}
    expected = relay.create_executor("debug", mod=block["mod"]).evaluate()(
        block["data_tvm"], **params)
    actual = block["output"].numpy()
    np.testing.assert_allclose(actual, np.asarray(expected), rtol=1e-4, atol=1e-4)
