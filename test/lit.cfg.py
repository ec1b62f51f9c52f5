# What lit runs: .mlir, .relay and .test files beside their subject, and the gtest
# programs of test/Unit. pytest runs test/python (see utils/check.sh).
import os

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "RELAY"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".relay", ".test"]
config.excludes = ["Inputs", "python", "lib", "Unit", "corpus"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.relay_obj_root, "test")

llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
# The object cache of the tests is their own.
config.environment["RELAY_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")
# What `native` stands for, and the emulator of what the processor lacks.
for name in ("RELAY_NATIVE_TARGET", "LD_PRELOAD"):
    if os.environ.get(name):
        config.environment[name] = os.environ[name]
config.substitutions.append(("%python", config.python_executable))
config.substitutions.append(("%relay_lib", config.relay_lib_dir))
config.substitutions.append(("%relay_tools", config.relay_tools_dir))
config.substitutions.append(("%relay_src", config.relay_src_root))
config.substitutions.append(("%shlibext", config.shlib_ext))

roundtrip = os.environ.get("RELAY_OPT_CHECK_IR_ROUNDTRIP")
relay_opt = os.path.join(config.relay_tools_dir, "relay-opt")
if roundtrip:
    config.substitutions.append((r"\brelay-opt\b", relay_opt + " --verify-roundtrip"))
# Not ours, but it loads what may be instrumented.
mlir_opt = os.path.join(config.llvm_tools_dir, "mlir-opt")
if config.sanitizer_runtime:
    mlir_opt = f"env LD_PRELOAD={config.sanitizer_runtime} {mlir_opt}"
llvm_config.add_tool_substitutions(
    ["relay-opt", "relay-translate", "relay-compile", "relay-run", "relay-vta-sim",
     "relay-lsp-server", "relay-reduce", "relay-gpu-run", *(f"relay-fuzz-{name}" for name in (
         "onnx", "relay-text", "mlir", "artifact", "npy", "command-line", "vta", "cuda", "gpu")), ToolSubst("mlir-opt", command=mlir_opt), "mlir-runner", "mlir-translate"],
    [config.relay_tools_dir, config.llvm_tools_dir],
)
