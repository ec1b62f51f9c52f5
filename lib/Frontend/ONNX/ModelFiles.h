//===- ModelFiles.h - The files of an ONNX model ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_MODELFILES_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_MODELFILES_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::relay::onnx {

/// The path, free of symbolic links, of the file that the model at `modelPath`
/// calls `location`. Fails if there is none, or if it does not lie below the
/// folder of the model: a model must not make its reader open arbitrary files.
///
/// Where the model itself is a symbolic link, as in caches that name files by
/// their contents, the folder that it leads to counts as well.
llvm::Expected<std::string> findExternalData(StringRef modelPath,
                                             StringRef location);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_MODELFILES_H
