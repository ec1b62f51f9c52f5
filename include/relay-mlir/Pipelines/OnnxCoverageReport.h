//===- OnnxCoverageReport.h - What an ONNX model needs ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_ONNXCOVERAGEREPORT_H
#define RELAY_MLIR_PIPELINES_ONNXCOVERAGEREPORT_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mlir::relay {

/// Writes which operators, opsets and types an ONNX model has, what of it is
/// missing and why, and which executor runs it: as tables, or as JSON. Fails
/// for what is no model; a model that is refused is no failure.
LogicalResult writeOnnxCoverage(llvm::MemoryBufferRef buffer,
                                MLIRContext *context, bool asJson,
                                raw_ostream &os);

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_ONNXCOVERAGEREPORT_H
