//===- Prelude.h - Standard definitions -------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Definitions that programs import by name, as Relay text: lists, options,
// trees, natural numbers, lazy gradients, and arrays of tensors.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PRELUDE_PRELUDE_H
#define RELAY_MLIR_PRELUDE_PRELUDE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::relay {

/// Returns the text of a file of standard definitions: "core.rly",
/// "prelude.rly", "gradient.rly" or "nat.rly", which needs "prelude.rly".
/// Nothing for other names.
std::optional<llvm::StringRef> getPreludeText(llvm::StringRef name);

/// The names that getPreludeText knows.
llvm::ArrayRef<llvm::StringRef> getPreludeNames();

/// The element types for which there are tensor arrays by default.
llvm::ArrayRef<llvm::StringRef> getTensorArrayDTypes();

/// Returns definitions of arrays of tensors whose rank, up to 6, is known at
/// run time only: `tensor_float32_t`, `@tensor_array_write_float32` and so on.
/// They need "prelude.rly". `dtype` is as Relay text spells it.
std::string getTensorArrayText(llvm::StringRef dtype);

/// Returns definitions of arrays of tensors of `shape`, in which -1 is an
/// unknown size: `static_tensor_float32_2_any_t`,
/// `@tensor_array_write_float32_2_any` and so on. Stacks of such tensors have
/// `batchSize` rows, -1 if that is not known.
///
/// They need "prelude.rly", and share definitions with the arrays of other
/// shapes: those for which `isDefined` says so are left out.
std::string
getStaticTensorArrayText(llvm::StringRef dtype, llvm::ArrayRef<int64_t> shape,
                         int64_t batchSize,
                         llvm::function_ref<bool(llvm::StringRef)> isDefined);

} // namespace mlir::relay

#endif // RELAY_MLIR_PRELUDE_PRELUDE_H
