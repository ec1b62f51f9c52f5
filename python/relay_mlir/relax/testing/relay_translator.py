"""From Relay to Relax: the compiler's own path, one kernel for each operator."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ..._arguments import expect_int, expect_list, expect_mapping, expect_text
from ...relay import transform
from ...relay.build_module import bind_main, lower_to_kernels
from ...relay.module import module_arguments
from ..module import IRModule

# What makes the operators that kernels are made of, in order.
_PASSES = ("InferType", "SimplifyInference", "CanonicalizeOps", "FoldConstant")


def from_relay(func: Any, target: Any = None, relay_params: Mapping[str, Any] | None = None, *,
               opt_level: int = 3, pass_config: Mapping[str, Any] | None = None,
               disabled_pass: Sequence[str] | None = None) -> IRModule:
    """A module of Relax of a function of Relay, or of @main of a module.

    Each operator becomes a kernel of its own, which `main` calls in a dataflow block; sizes
    that are unknown in Relay become symbols, of which others are expressions. `target` is as
    in `relay.build`. `relay_params` has values of parameters, which become constants.
    `opt_level` and `disabled_pass` choose among SimplifyInference, CanonicalizeOps and
    FoldConstant, which run first; `pass_config` is that of their PassContext.

    Raises DiagnosticError for what is ill-typed, or no function of tensors.
    """
    expect_int(opt_level, "opt_level", 0)
    disabled = [expect_text(name, "the name of a pass")
                for name in expect_list(disabled_pass or [], "disabled_pass")]
    mod = bind_main(module_arguments(func), expect_mapping(relay_params, "relay_params"),
                    stacklevel=2)
    with transform.PassContext(opt_level=opt_level, disabled_pass=disabled,
                               config=dict(expect_mapping(pass_config, "pass_config"))):
        mod = transform.Sequential([getattr(transform, name)() for name in _PASSES])(mod)
    return IRModule(lower_to_kernels(mod, target, opt_level=0))


__all__ = ["from_relay"]
