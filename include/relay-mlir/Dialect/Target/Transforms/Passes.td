//===- Passes.td - Passes that give targets ----------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TARGET_TRANSFORMS_PASSES_TD
#define RELAY_MLIR_DIALECT_TARGET_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttachTargetPass : Pass<"relay-attach-target", "::mlir::ModuleOp"> {
  let summary = "Say what a module is compiled for, and how exactly it computes";
  let description = [{
    Gives the module `target.spec` and `target.precision`, which all passes after
    it read. An option that is empty keeps what the module has; if it has
    nothing, that is the processor that runs the compiler, and `high`. To change
    what the module has is an error, since passes may have relied on it.

    `device-targets` has what kernels on other devices are compiled for, and
    becomes `target.device_specs`: `device-targets="npu = #npu.core<lanes = 8>"`.

    ```mlir
    module {}
    ```

    with `target=znver3 precision=highest` becomes

    ```mlir
    module attributes {
        target.precision = #target.precision<highest>,
        target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver3">} {}
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "what to generate code for (see relay-compile --target)">,
    Option<"precision", "precision", "std::string", "\"\"",
           "how exactly results are computed in f32: highest, high or medium">,
    Option<"deviceTargets", "device-targets", "std::string", "\"\"",
           "targets of devices that are no processor, by kind: "
           "kind = #dialect.target, ...">
  ];
  let dependentDialects = ["::mlir::relay::TargetDialect"];
}

#endif // RELAY_MLIR_DIALECT_TARGET_TRANSFORMS_PASSES_TD
