//===- Passes.td - Passes on the relax dialect -------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAX_TRANSFORMS_PASSES_TD
#define RELAY_MLIR_DIALECT_RELAX_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanMemoryPass : Pass<"relax-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Give every value of a relax function storage";
  let description = [{
    Turns relax-kernels into relax-executable. Values that are not alive at the
    same time share storage; a value that the function returns is written into
    the result's buffer by the kernel that computes it; a reshape costs
    nothing; workspaces of kernels live for one call. Sizes are expressions over
    the symbols, so one plan serves all shapes, and memory is shared only where
    that is right for all values of the symbols. A parameter's size that is an
    expression, such as 2 * n, gets a name, and a check that it is equal to it.
    So does what a `relax.match_cast` states. A packed function becomes a kernel
    of which there is a declaration.

    Kernels must have their final signatures: workspaces are the trailing
    arguments that `tir.workspaces` counts.

    ```mlir
    relax.func @main(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
      %0 = relax.call_tir @a(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 8], f32>
      %1 = relax.call_tir @b(%0) : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 4], f32>
      relax.return %1 : !relax.tensor<[n, 4], f32>
    }
    ```

    becomes

    ```mlir
    relax.func @main(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
      %s = relax.alloc_storage size [64 * n] align 64 : !relax.storage
      %0 = relax.alloc_tensor %s[0] : !relax.tensor<[n, 8], f32>
      relax.call_kernel @a ins(%x : !relax.tensor<[n, 4], f32>)
                           outs(%0 : !relax.tensor<[n, 8], f32>)
      %1 = relax.result_buffer 0 : !relax.tensor<[n, 4], f32>
      relax.call_kernel @b ins(%0 : !relax.tensor<[n, 8], f32>)
                           outs(%1 : !relax.tensor<[n, 4], f32>)
      relax.kill %s : !relax.storage
      relax.return %1 : !relax.tensor<[n, 4], f32>
    }
    ```
  }];
  let options = [
    Option<"reuse", "reuse", "bool", /*default=*/"true",
           "Let values that are not alive at the same time share storage">,
    Option<"report", "report", "bool", /*default=*/"false",
           "Emit a remark with the planned bytes for each function">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let statistics = [
    Statistic<"numBuffers", "num-buffers",
              "Number of values and workspaces that were placed">,
    Statistic<"numStorages", "num-storages", "Number of storages">,
    Statistic<"plannedBytes", "planned-bytes",
              "Bytes of all storages with every symbol equal to 1">,
    Statistic<"unsharedBytes", "unshared-bytes",
              "Bytes without sharing, with every symbol equal to 1">
  ];
}

def AssignTargetsPass : Pass<"relax-assign-targets", "::mlir::ModuleOp"> {
  let summary = "Say of kernels on other devices what they are compiled for";
  let description = [{
    Gives each kernel that is called on a device which is no processor the target
    that `target.device_specs` of the module has for devices of the kind. A
    kernel that is called on devices of several targets becomes one for each.

    ```mlir
    module attributes {target.device_specs = {npu = #npu.core<lanes = 8>}} {
      tir.prim_func @double(%x: memref<4xf32>, %y: memref<4xf32>)
          attributes {tir.num_outputs = 1 : i64} { ... }
      relax.func @main(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> {
        %0 = relax.to_device %x : !relax.tensor<[4], f32>
            to !relax.tensor<[4], f32, #target.device<"npu", 0>>
        %1 = relax.call_tir @double(%0)
            : (!relax.tensor<[4], f32, #target.device<"npu", 0>>)
            -> !relax.tensor<[4], f32, #target.device<"npu", 0>>
    ```

    gives `@double` the attribute `target.spec = #npu.core<lanes = 8>`.
  }];
}

def CallKnownClosuresPass
    : Pass<"relax-call-known-closures", "::mlir::ModuleOp"> {
  let summary = "Call the functions of closures that are made nearby";
  let description = [{
    A closure whose making is in sight is not called through its object: the call
    becomes one of its function, with the captured values as first arguments. A
    closure that nothing else uses is not made then. So a loop, which is a closure
    that calls itself, makes none in its iterations.

    Example:

    ```mlir
    %f = relax.make_closure @add(%x)
    %0 = relax.invoke_closure %f(%y)
    ```

    becomes

    ```mlir
    %0 = relax.call @add(%x, %y)
    ```
  }];
}

def NameKernelsPass : Pass<"relax-name-kernels", "::mlir::ModuleOp"> {
  let summary = "Name kernels by their operators";
  let description = [{
    Kernels that fusion named lose `fused_` and the namespace `nn`; those of equal
    operators are numbered in the order of their first calls, as Relax's
    translator of Relay does. Other kernels keep their names.

    ```mlir
    %0 = relax.call_tir @fused_nn_dense_1(%x, %w) : ...
    %1 = relax.call_tir @fused_nn_dense(%0, %v) : ...
    ```

    becomes

    ```mlir
    %0 = relax.call_tir @dense(%x, %w) : ...
    %1 = relax.call_tir @dense1(%0, %v) : ...
    ```
  }];
}

def VerifyExecutablePass
    : Pass<"verify-relax-executable", "::mlir::ModuleOp"> {
  let summary = "Check the normal form that executors consume";
  let description = [{
    Fails at the first operation that is not in the form relax-executable:

    * no dataflow block, no tuple, no `relax.call_tir`; `--relax-plan-memory`
      removes them,
    * every tensor lies within its storage for all values of the symbols,
    * no tensor is used after its storage is killed, and a kernel's output or
      workspace does not overlap memory that is read later,
    * kernels are for the targets of the devices that they are called on,
    * every result of a function is its `relax.result_buffer`,
    * sizes of parameters are numbers or names.
  }];
}

def VerifyKernelsPass : Pass<"verify-relax-kernels", "::mlir::ModuleOp"> {
  let summary = "Check the normal form in which relax calls kernels on values";
  let description = [{
    Fails at the first operation that is not in the form relax-kernels:

    * every kernel that a `relax.call_tir` calls is on buffers;
      `--convert-relay-to-relax` and then `--convert-linalg-to-tir` lead there,
    * shapes and element types of its operands and results are those of the
      kernel's buffers,
    * kernels are for the targets of the devices that they are called on,
    * nothing says anything about storage yet.
  }];
}

#endif // RELAY_MLIR_DIALECT_RELAX_TRANSFORMS_PASSES_TD
