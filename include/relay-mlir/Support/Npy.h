//===- Npy.h - NumPy's .npy files -------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No Debian package reads these files, and the format is one header line.
// Versions 1 to 3, C and Fortran order, both byte orders; bfloat16 as the
// two-byte void type by which NumPy stores it.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_NPY_H
#define RELAY_MLIR_SUPPORT_NPY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::relay {

/// An array in native byte order and C order; a bool is one byte, 0 or 1.
/// Files do not tell types that NumPy lacks: two bytes of nothing else are
/// taken for bfloat16, and one byte (a float of 8 bits, or an integer or float
/// of fewer) for whatever the reader expects.
struct NpyArray {
  enum class Kind { Bool, Int, UInt, Float, BFloat, Byte };

  Kind kind = Kind::Float;
  unsigned elementSize = 4;
  llvm::SmallVector<int64_t> shape;
  llvm::ArrayRef<char> data;
  /// Keeps `data` alive; null where the caller does.
  std::shared_ptr<const void> owner;
};

/// Reads a file. Its data is mapped, not copied, where it has the form of
/// NpyArray already.
llvm::Expected<NpyArray> readNpy(llvm::StringRef path);

/// Reads an array from memory, which `owner` keeps alive. `name` is what errors
/// call it.
llvm::Expected<NpyArray> parseNpy(llvm::StringRef bytes, llvm::StringRef name,
                                  std::shared_ptr<const void> owner);

/// An array of strings in C order, in UTF-8.
struct NpyStrings {
  llvm::SmallVector<int64_t> shape;
  std::vector<std::string> texts;
};

/// Reads a file whose elements are text ('U'), or bytes ('S') that are UTF-8.
llvm::Expected<NpyStrings> readNpyStrings(llvm::StringRef path);
llvm::Expected<NpyStrings> parseNpyStrings(llvm::StringRef bytes,
                                           llvm::StringRef name);
void writeNpyStrings(llvm::raw_ostream &os, const NpyStrings &strings);
llvm::Error writeNpyStrings(llvm::StringRef path, const NpyStrings &strings);

/// Writes format version 1.0, or 2.0 where the shape needs it.
void writeNpy(llvm::raw_ostream &os, const NpyArray &array);
llvm::Error writeNpy(llvm::StringRef path, const NpyArray &array);

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_NPY_H
