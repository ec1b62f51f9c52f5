//===- HostData.h - Constant data of the host module ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_AOT_HOSTDATA_H
#define RELAY_MLIR_LIB_TARGET_AOT_HOSTDATA_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relay::detail {

/// Writes the C structures of Runtime/ArtifactFormat.h as globals. Each method
/// that returns a symbol creates an internal constant; null stands for a null
/// pointer.
class HostData {
public:
  explicit HostData(ModuleOp module);

  /// A member of a structure: an integer of some width, or the address of a
  /// symbol (null for a null pointer).
  struct Member {
    static Member integer(unsigned width, int64_t value) {
      return {{}, width, value};
    }
    static Member pointer(FlatSymbolRefAttr symbol) { return {symbol, 0, 0}; }

    FlatSymbolRefAttr symbol;
    unsigned width;
    int64_t value;
  };
  /// The members in order, with those of nested structures in their place: a
  /// dtype is three integers.
  using Struct = SmallVector<Member>;

  FlatSymbolRefAttr getString(StringRef text);
  /// Bytes at an aligned address, with a zero after them.
  FlatSymbolRefAttr getBytes(StringRef bytes);
  FlatSymbolRefAttr getIntegers(ArrayRef<int64_t> values);
  FlatSymbolRefAttr getPointers(ArrayRef<FlatSymbolRefAttr> symbols);
  FlatSymbolRefAttr getStructs(ArrayRef<Struct> structs);

  /// Creates an exported constant.
  void exportStruct(StringRef name, const Struct &value);

  /// The code and the bits of an element type, as DLPack has them; nothing for
  /// one that an artefact cannot describe.
  static std::optional<std::pair<unsigned, unsigned>>
  getDType(Type elementType);

  /// A RelayArtifactTensor. `dims` are as the format wants them.
  FailureOr<Struct> getTensor(StringRef name, Type elementType,
                              ArrayRef<int64_t> dims,
                              ArrayRef<FlatSymbolRefAttr> dimNames,
                              function_ref<InFlightDiagnostic()> emitError,
                              bool isString = false);

  /// The texts of the dimensions of `shape` that are not static.
  SmallVector<FlatSymbolRefAttr> getDimNames(relax::ShapeAttr shape);

private:
  Type getType(const Struct &value);
  Value build(OpBuilder &builder, const Struct &value);
  /// A value of all `structs`, one after the other.
  Value buildTable(OpBuilder &builder, ArrayRef<Struct> structs);
  FlatSymbolRefAttr create(Type type, function_ref<Value(OpBuilder &)> build,
                           StringRef exportedName = {});
  /// A global with `bytes` and a zero; alignment 0 leaves it to the target.
  FlatSymbolRefAttr createBytes(StringRef bytes, unsigned alignment);

  ModuleOp module;
  OpBuilder builder;
  Location loc;
  LLVM::LLVMPointerType pointer;
  llvm::StringMap<FlatSymbolRefAttr> strings;
  /// Arrays by their contents.
  DenseMap<Attribute, FlatSymbolRefAttr> integers, structArrays;
  unsigned numGlobals = 0;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_TARGET_AOT_HOSTDATA_H
