//===- VTA.h - The vta dialect ----------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_VTA_IR_VTA_H
#define RELAY_MLIR_DIALECT_VTA_IR_VTA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Runtime/VTA/Instruction.h"

#include "relay-mlir/Dialect/VTA/IR/VTADialect.h.inc"
#include "relay-mlir/Dialect/VTA/IR/VTAEnums.h.inc"
#include "relay-mlir/Dialect/VTA/IR/VTAInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "relay-mlir/Dialect/VTA/IR/VTAAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "relay-mlir/Dialect/VTA/IR/VTATypes.h.inc"

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/VTA/IR/VTAOps.h.inc"

namespace mlir::vta {

/// The kind of devices that `#vta.config` is a target of, and the memories that
/// buffers of kernels are in.
inline constexpr StringLiteral kDeviceKind = "vta";
inline constexpr StringLiteral kInp = "inp", kWgt = "wgt", kAcc = "acc";

/// Of a `vta.program` that is a kernel: three numbers for each buffer, inputs
/// first: address, bytes, and 1 for an input or 2 for an output.
inline constexpr StringLiteral kBuffersAttrName = "vta.buffers";

/// The micro-op that an operation is.
relay_vta::Uop getUop(UopOp op);

/// Micro-ops that a scratchpad has at one point of a program; none where they
/// are not known, because they come from an image.
class UopMemory {
public:
  explicit UopMemory(const relay_vta::Config &config)
      : depth(config.getDepth(relay_vta::Memory::Uop)) {}

  /// What `load` leaves there. Padding is a micro-op of zeros.
  void load(LoadOp load);
  /// Those of an instruction from its first to before its last. Behind the last
  /// one of the list none is known.
  ArrayRef<std::optional<relay_vta::Uop>>
  get(const relay_vta::Instruction &instruction) const;

private:
  uint64_t depth;
  /// Up to the last one that was known, of what may be 2^26.
  SmallVector<std::optional<relay_vta::Uop>> words;
};

} // namespace mlir::vta

#endif // RELAY_MLIR_DIALECT_VTA_IR_VTA_H
