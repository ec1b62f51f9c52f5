//===- TargetInterfaces.td - What a target can be asked ----*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TARGET_IR_TARGETINTERFACES_TD
#define RELAY_MLIR_DIALECT_TARGET_IR_TARGETINTERFACES_TD

include "mlir/IR/Interfaces.td"

def TargetAttrInterface : AttrInterface<"TargetAttrInterface"> {
  let cppNamespace = "::mlir::relay";
  let description = [{
    What code is generated for. An attribute with this interface is a target:
    `target.spec` of a module or a kernel holds it. Each kind of targets has an
    attribute of its own, in this dialect or in one of another project.

    Passes that work for every kind ask the methods below; their defaults say
    that nothing is known. Passes of one kind ask its attribute.
  }];
  let methods = [
    InterfaceMethod<
      /*desc=*/[{The kind, one word: "cpu".}],
      /*retTy=*/"::llvm::StringRef", /*methodName=*/"getKind">,
    InterfaceMethod<
      /*desc=*/[{What people read in messages, such as
      "x86_64-unknown-linux-gnu znver3".}],
      "std::string", "getDescription", (ins), "",
      [{ return $_attr.getKind().str(); }]>,
    InterfaceMethod<
      /*desc=*/[{Bits of the vectors that elementwise code uses; 0 if there are
      none.}],
      "int64_t", "getVectorBits", (ins), "", [{ return 0; }]>,
    InterfaceMethod<
      /*desc=*/[{Sizes of the caches between a core and its memory.}],
      "::mlir::relay::CacheSizes", "getCacheSizes", (ins), "",
      [{ return ::mlir::relay::CacheSizes(); }]>,
    InterfaceMethod<
      /*desc=*/[{How many products of bf16 matrix units compute for one of f32
      at this precision; 0 if there are no such units.}],
      "int64_t", "getMatrixTerms",
      (ins "::mlir::relay::Precision":$precision), "", [{ return 0; }]>,
    InterfaceMethod<
      /*desc=*/[{Whether products of f16 and bf16 take no longer than those of
      f32, with sums of f32 in either case.}],
      "bool", "multipliesHalves", (ins), "", [{ return false; }]>,
    InterfaceMethod<
      /*desc=*/[{Memories besides the one that arguments of kernels lie in.}],
      "::llvm::SmallVector<::mlir::relay::MemoryInfo>", "getMemories", (ins),
      "", [{ return {}; }]>,
    InterfaceMethod<
      /*desc=*/[{How iterations of a loop run at once.}],
      "::mlir::relay::Threading", "getThreading", (ins), "",
      [{ return ::mlir::relay::Threading::None; }]>,
  ];
}

def CodeGeneratorAttrInterface : AttrInterface<"CodeGeneratorAttrInterface"> {
  let cppNamespace = "::mlir::relay";
  let description = [{
    A target that makes code of its kernels itself, in a format that what drives
    its devices knows. The compiler puts the code into the artefact; the run time
    hands it to `load_module` of `RelayDeviceAPI` (relay-mlir-c/Device.h), and
    asks `get_kernel` for each kernel by its name.

    `#target.cpu` does not have this interface: its kernels are linked with the
    program.
  }];
  let methods = [
    InterfaceMethod<
      /*desc=*/[{Makes code of all kernels of a module, which is consumed. They
      are `tir.prim_func`s in the form tir-scheduled. Arguments of a kernel are
      its inputs, outputs and workspaces in this order, as `launch` has them.
      Errors are reported at the operation that is not supported.}],
      "::llvm::FailureOr<::mlir::relay::DeviceCode>", "generateCode",
      (ins "::mlir::ModuleOp":$kernels)>,
  ];
}

#endif // RELAY_MLIR_DIALECT_TARGET_IR_TARGETINTERFACES_TD
