"""Relay in Python: building, reading, printing, checking and evaluating programs.

    from relay_mlir import relay
    x = relay.var("x", shape=(2, 3))
    f = relay.Function([x], relay.nn.relu(x + x))
    mod = relay.transform.InferType()(relay.IRModule.from_expr(f))
    print(mod)
    y = relay.create_executor("debug", mod=mod).evaluate()(array)
"""

from sys import setrecursionlimit
from typing import TYPE_CHECKING

from .._errors import CompileError, DiagnosticError
from . import (adt, analysis, attrs, base, device, env_func, expr, expr_functor, instrument,
               module, scope_builder, target, ty, type_functor)
from .adt import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .expr import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .expr_functor import ExprFunctor, ExprMutator, ExprVisitor
from .module import IRModule, Module
from .scope_builder import ScopeBuilder
from .ty import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .type_functor import TypeFunctor, TypeMutator, TypeVisitor
from . import op
from .op import annotation, image, memory, nn, random, vision
from .op.tensor import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .op import on_device
from . import qnn
from . import codegen, dataflow_pattern, ir_pass, structural, text, transform
from .structural import assert_structural_equal, structural_equal, structural_hash
from .base import SequentialSpan, SourceName, Span
from .text import (SpanCheck, astext, fromtext, get_text_version, parse, parse_expr, pretty_print,
                   set_text_version)
from .transform import PassContext, Sequential, build_config
from . import (backend, build_module, executor, executor_factory, frontend, loops, param_dict,
               prelude, testing, with_fields)
from .backend import vm
from .build_module import bind_params_by_name, build, optimize
from . import data_dep_optimization, quantize
from .executor import ConstructorValue, RefValue, create_executor
from .param_dict import load_param_dict, save_param_dict
from .prelude import Prelude
from .with_fields import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .analysis import free_vars, post_order_visit
from . import _module_names
from .expr import Function, bind, const, var

# `relay.op.get` and `relay.op` have the operators; these names are types.
from .expr import Op
from .ty import Any

function = expr

# What Relay has besides, and is not here yet.
_LATER = {
    "contrib": "operators of other compilers",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        what = _LATER.get(name)
        text = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(text if what is None else f"{text}: {what} is not there yet")


__all__ = [
    "Any", "CompileError", "ConstructorValue", "DiagnosticError", "ExprFunctor", "ExprMutator",
    "ExprVisitor", "IRModule", "Module", "Op", "PassContext", "Prelude", "RefValue",
    "ScopeBuilder", "Sequential", "SequentialSpan", "SourceName", "SpanCheck", "TypeFunctor",
    "TypeMutator", "TypeVisitor", "adt", "analysis", "annotation", "assert_structural_equal",
    "astext", "attrs", "backend", "base", "bind", "bind_params_by_name", "build", "build_config",
    "build_module", "const", "create_executor", "data_dep_optimization", "dataflow_pattern",
    "device", "executor", "executor_factory", "expr", "expr_functor", "free_vars", "fromtext",
    "frontend", "get_text_version", "image", "instrument", "load_param_dict", "loops", "memory",
    "module", "nn", "on_device", "op", "optimize", "param_dict", "parse", "parse_expr",
    "post_order_visit", "prelude", "pretty_print", "qnn", "quantize", "random", "save_param_dict",
    "scope_builder", "set_text_version", "setrecursionlimit", "structural_equal",
    "structural_hash", "target", "testing", "text", "transform", "ty", "type_functor", "var", "vision",
    "vm",
    *adt.__all__, *expr.__all__, *ty.__all__, *with_fields.__all__, *op.tensor.__all__,
]
