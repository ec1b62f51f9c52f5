//===- MappingGuard.h - Files that shrink while mapped ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_MAPPINGGUARD_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_MAPPINGGUARD_H

#include "mlir/Support/LLVM.h"

namespace mlir::relay::onnx {

/// Ends the process with an error that names the file when something reads a
/// mapped page that another program has cut off meanwhile, for as long as the
/// mapping [data, data + size) is there. Temporary files go first.
class MappingGuard {
public:
  MappingGuard(const char *data, size_t size, StringRef path);
  ~MappingGuard();
  MappingGuard(const MappingGuard &) = delete;
  MappingGuard &operator=(const MappingGuard &) = delete;

private:
  /// Place in the table of mappings; -1 if that is full.
  int place = -1;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_MAPPINGGUARD_H
