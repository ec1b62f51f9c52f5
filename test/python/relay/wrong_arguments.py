"""Calls every public function with wrong arguments, and prints those whose error does
not say what is expected: pybind11's words, or errors from inside.

    python wrong_arguments.py

Prints a line for each: function, arguments, error. Runs in the current folder, which it
may write to, and registers operators.
"""

import importlib
import inspect
import pkgutil
import re
import sys

import relay_mlir
from relay_mlir import relax, relay

VALUES = [None, "x", 2**70, object(), [], {}, float("nan"), -1, [None], {"x": None},
          relay.const(1), relay.var, "\ud800"]

# What a person understands: the package's words, those of Python for the number of
# arguments, and of the system for files.
UNDERSTOOD = re.compile(
    r"expect(s|ed) |there is no|is registered|is not made|missing \d+ required|No such file|"
    r"takes (no|.* positional)|No constructor|unexpected keyword|directory|File exists", re.I)
PYBIND = re.compile(r"incompatible (function|constructor) arguments|Unable to cast|C\+\+|pybind")
# Classes of NumPy and of the standard library, and functions that change the process.
LEFT_OUT = {"NDArray", "Feature", "setrecursionlimit", "set_text_version"}


def modules():
    yield from (relay_mlir, relay_mlir.tir, relax, relax.testing.relay_translator, relay,
                relay.testing)
    for info in pkgutil.walk_packages(relay.__path__, relay.__name__ + "."):
        if ".testing" not in info.name and "._" not in info.name:
            yield importlib.import_module(info.name)


def functions():
    """Names and functions, each function once."""
    seen = set()
    for module in modules():
        for name in getattr(module, "__all__", [n for n in vars(module) if n[0] != "_"]):
            function = getattr(module, name)
            own = str(getattr(function, "__module__", "")).startswith("relay_mlir")
            if callable(function) and own and name not in LEFT_OUT and id(function) not in seen:
                seen.add(id(function))
                yield f"{module.__name__}.{name}", function


X = relay.var("x", shape=(2, 3))
MOD = relay.transform.InferType()(relay.IRModule.from_expr(relay.Function([X], X + X)))
PRELUDE = relay.Prelude(relay.IRModule())


@relay.transform.function_pass(opt_level=0)
def same(function, mod, context):
    return function


def methods():
    """Names and methods of some objects, each of which is made anew for each call. What
    visitors call for their kinds of nodes is not there."""
    arrays = relay.prelude.StaticTensorArrayOps(PRELUDE, "float32", (2,))
    relay.op.op.register("test.wrong_arguments")
    library = relay.build(MOD)
    makers = {
        "IRModule": MOD.shallow_copy, "Function": lambda: MOD["main"],
        "Call": lambda: MOD["main"].body, "Var": lambda: X,
        "Op": lambda: relay.op.get("test.wrong_arguments"),
        "TupleWrapper": lambda: relay.split(X, 2), "Prelude": lambda: PRELUDE,
        "PassContext": relay.PassContext, "Pass": lambda: same,
        "ScopeBuilder": relay.ScopeBuilder,
        "CallGraph": lambda: relay.analysis.CallGraph(MOD),
        "TensorArrayOps": lambda: relay.prelude.TensorArrayOps(PRELUDE, "float32"),
        "StaticTensorArrayOps": lambda: arrays,
        "Executor": lambda: relay.create_executor("debug", MOD),
        "relay_mlir.IRModule": lambda: relay_mlir.parse("func.func @main() { return }"),
        "ExprMutator": relay.ExprMutator, "TypeMutator": relay.TypeMutator,
        "ExecutorFactoryModule": lambda: library, "GraphModule": library["default"],
    }
    for kind, make in makers.items():
        for name, method in inspect.getmembers(type(make())):
            if name[0] != "_" and not name.startswith("visit_") and callable(method):
                yield f"{kind}.{name}", caller(make, name), signature(getattr(make(), name))


def caller(make, method):
    return lambda *args, **kwargs: getattr(make(), method)(*args, **kwargs)


def signature(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # Of the extension.
        return None


def right_argument(parameter):
    """A value that may be right, from what a parameter is called."""
    name, annotation = parameter.name, str(parameter.annotation)
    if name in ("mod", "module") or "IRModule" in annotation:
        return MOD
    if name in ("shape", "newshape"):
        return (2, 3)
    if "dtype" in name:
        return "float32"
    for words, value in (("Function", MOD["main"]), ("Expr", X), ("Callable", lambda *_: X),
                         ("Mapping", {}), ("Sequence", [X]), ("Iterable", [X]), ("list", [X]),
                         ("str", "main"), ("int", 1), ("bool", False)):
        if words in annotation:
            return value
    return X


def calls(known):
    """Arguments to try, by position and by name: all wrong, and each of them."""
    if known is None or all(p.kind == p.VAR_POSITIONAL for p in known.parameters.values()):
        for value in VALUES:
            yield from (((value,) * count, {}) for count in range(5))
        return
    named = [p for p in known.parameters.values()
             if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    required = [p for p in named if p.default is p.empty]
    for value in VALUES:
        yield (), {p.name: value for p in required}
        for parameter in named:
            yield (), {**{p.name: right_argument(p) for p in required}, parameter.name: value}


def wrong_error(function, args, kwargs):
    """The error of a call if nobody would understand it."""
    try:
        function(*args, **kwargs)
    except (relay_mlir.Error, NotImplementedError):
        return None
    except Exception as error:  # pylint: disable=broad-exception-caught
        text = str(error)
        if UNDERSTOOD.search(text) and not PYBIND.search(text):
            return None
        return f"{type(error).__name__}: {text[:200]}"
    return None


def main():
    cases = [(name, function, signature(function)) for name, function in functions()]
    assert len(cases) > 500, "expects the package to have more functions"
    for name, function, known in [*cases, *methods()]:
        for args, kwargs in calls(known):
            error = wrong_error(function, args, kwargs)
            if error:
                print(ascii(f"{name} {args} {kwargs}: {error}"))
                break


if __name__ == "__main__":
    sys.exit(main())
