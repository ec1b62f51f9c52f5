"""Relay in Python: building, reading, printing, checking and evaluating programs.

    from relay_mlir import relay
    x = relay.var("x", shape=(2, 3))
    f = relay.Function([x], relay.nn.relu(x + x))
    mod = relay.transform.InferType()(relay.IRModule.from_expr(f))
    print(mod)
    y = relay.create_executor("debug", mod=mod).evaluate()(array)
"""

from .._errors import CompileError, DiagnosticError
from . import (adt, analysis, attrs, device, expr, expr_functor, module, scope_builder, ty,
               type_functor)
from .adt import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .expr import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .expr_functor import ExprFunctor, ExprMutator, ExprVisitor
from .module import IRModule, Module
from .scope_builder import ScopeBuilder
from .ty import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .type_functor import TypeFunctor, TypeMutator, TypeVisitor
from . import op
from .op import annotation, image, memory, nn, random, vision, vm
from .op.tensor import *  # pylint: disable=wildcard-import,unused-wildcard-import
from .op import on_device
from . import qnn
from . import structural, text, transform
from .structural import assert_structural_equal, structural_equal, structural_hash
from .text import (astext, fromtext, get_text_version, parse, parse_expr, pretty_print,
                   set_text_version)
from .transform import PassContext, Sequential, build_config
from . import build_module, executor, executor_factory, frontend, prelude, testing
from .build_module import bind_params_by_name, build
from .executor import ConstructorValue, RefValue, create_executor
from .prelude import Prelude
from .analysis import free_vars, post_order_visit
from .expr import Function, bind, const, var

# `relay.op.get` and `relay.op` have the operators; these names are types.
from .expr import Op
from .ty import Any

# Programs of 2019 know analyses and passes by this name.
ir_pass = analysis
function = expr
base = expr

__all__ = [
    "Any", "CompileError", "ConstructorValue", "DiagnosticError", "ExprFunctor", "ExprMutator",
    "ExprVisitor", "IRModule", "Module", "Op", "PassContext", "Prelude", "RefValue",
    "ScopeBuilder", "Sequential", "TypeFunctor", "TypeMutator", "TypeVisitor", "adt",
    "analysis", "annotation", "assert_structural_equal", "astext", "attrs", "bind",
    "bind_params_by_name", "build", "build_config", "build_module", "const", "create_executor",
    "device", "executor", "executor_factory", "expr", "expr_functor", "free_vars", "fromtext",
    "frontend", "get_text_version", "image", "memory", "module", "nn", "on_device", "op",
    "parse", "parse_expr", "post_order_visit", "prelude", "pretty_print", "qnn", "random",
    "scope_builder", "set_text_version",
    "structural_equal", "structural_hash", "testing", "text", "transform", "ty",
    "type_functor", "var", "vision", "vm", *adt.__all__, *expr.__all__, *ty.__all__,
    *op.tensor.__all__,
]
