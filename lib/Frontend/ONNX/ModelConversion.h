//===- ModelConversion.h - From protobuf to a model -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_MODELCONVERSION_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_MODELCONVERSION_H

#include "Model.h"

#include "onnx-ml.pb.h"

namespace mlir::relay::onnx {

/// Takes what the importer needs out of `proto`, and checks what does not
/// depend on operators: that fields do not contradict each other, that numbers
/// fit their types, and that names are given once. `ranges` are the positions
/// of raw data that was left in the file, by the index of the initializer.
llvm::Expected<std::unique_ptr<Model>>
convertModel(::onnx::ModelProto &proto,
             llvm::ArrayRef<std::optional<Tensor::FileRange>> ranges);

/// The fields of `proto` that say what the model is, and its own properties, as
/// Relay/IR/Metadata.h has them.
std::vector<std::pair<std::string, std::string>>
getMetadata(const ::onnx::ModelProto &proto);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_MODELCONVERSION_H
