"""A compiler for tensor programs: ONNX and relay to native code.

    import relay_mlir as rm
    model = rm.compile("model.onnx")
    y = model(x)
"""

from ._compile import (IRModule, KernelProfile, Module, TensorInfo, emit, import_onnx, load,
                       load_dialect_plugin)
from ._compile import compile as compile  # Public, though not in __all__.
from ._errors import CompileError, DiagnosticError, Error
from ._errors import RuntimeError as RuntimeError
from ._functions import get_global_func, register_func, remove_global_func
from ._session import (ExecutionMode, GraphOptimizationLevel, InferenceSession, ModelMetadata,
                       NodeArg, RunOptions, SessionOptions, get_available_providers, get_device,
                       set_default_logger_severity)
from ._program import Program, ValueInfo
from ._relay_mlir import __version__, get_num_threads, set_num_threads
from .quantization import Quantized, quantize
from . import tir

parse = IRModule.parse

# All but `compile` and RuntimeError, which `import *` must not put in the place of
# Python's own; that is a base of ours, so that `except RuntimeError` catches it either way.
__all__ = [
    "CompileError", "DiagnosticError", "Error", "ExecutionMode", "GraphOptimizationLevel",
    "IRModule", "InferenceSession", "KernelProfile", "ModelMetadata", "Module", "NodeArg",
    "Program", "Quantized", "RunOptions", "SessionOptions", "TensorInfo", "ValueInfo",
    "emit", "get_available_providers", "get_device", "get_global_func", "get_num_threads",
    "import_onnx", "load", "load_dialect_plugin", "parse", "quantize", "register_func",
    "remove_global_func", "set_default_logger_severity", "set_num_threads", "tir",
    "__version__",
]
