//===- ConstantPool.h - The constants of an artefact ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights are most of an artefact. They go from the resources they were
// imported into straight to an object file, packed for the kernels that read
// them on the way, and never become an LLVM constant.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_AOT_CONSTANTPOOL_H
#define RELAY_MLIR_TARGET_AOT_CONSTANTPOOL_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <system_error>

namespace mlir::relay {

/// Symbol of the first byte of the constants.
inline constexpr llvm::StringLiteral kWeightsSymbol = "relay_weights";

/// What becomes of the elements of a constant that a layout moves.
struct PackedElements {
  /// If not 0, each f32 element is split into that many of bf16 (see
  /// Support/SplitFloat.h), and the layout has the piece as its last dimension.
  int64_t numPieces = 0;
  /// Two bytes of 0 to 15 become one, the first its lower half. They are the
  /// last dimension of what the layout makes, which the packed shape has not.
  bool areNibbles = false;

  bool operator==(const PackedElements &other) const {
    return numPieces == other.numPieces && areNibbles == other.areNibbles;
  }
};

/// Lays out constants one after the other, each once for every layout in which
/// a kernel wants it.
class ConstantPool {
public:
  explicit ConstantPool(MLIRContext *context) : context(context) {}

  /// Adds a constant and returns its offset in bytes. `layout` maps the index
  /// of an element to its index in `packedShape`, whose other elements are
  /// zero; null leaves the constant as it is. Constants with equal bytes share
  /// their place. Errors are reported through `emitError`.
  FailureOr<uint64_t> add(ElementsAttr value, AffineMap layout,
                          ArrayRef<int64_t> packedShape,
                          PackedElements elements,
                          llvm::function_ref<InFlightDiagnostic()> emitError);

  /// Begins a part, such as the constants of another device, which shares
  /// nothing with those before it. Returns where it starts.
  uint64_t beginPart();

  MLIRContext *getContext() const { return context; }

  /// Bytes of all constants.
  uint64_t getSize() const { return size; }

  /// Writes the constants to a file from `position` on, where it holds zeros;
  /// bytes between them stay what they are.
  std::error_code write(int file, uint64_t position) const;

private:
  struct Entry {
    ElementsAttr value;
    AffineMap layout;
    SmallVector<int64_t> packedShape;
    PackedElements elements;
    uint64_t offset;
    uint64_t bytes;
    std::optional<uint64_t> fullHash;
  };

  MLIRContext *context;
  SmallVector<Entry> entries;
  /// Entries by a hash of what determines their bytes.
  llvm::DenseMap<uint64_t, SmallVector<unsigned, 1>> byHash;
  uint64_t size = 0;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_AOT_CONSTANTPOOL_H
