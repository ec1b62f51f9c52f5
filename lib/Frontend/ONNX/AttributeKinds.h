//===- AttributeKinds.h - What attributes of nodes hold ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_ATTRIBUTEKINDS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_ATTRIBUTEKINDS_H

#include "ModelConversion.h"

#include "llvm/ADT/SmallVector.h"

namespace mlir::relay::onnx {

/// The kind that `proto` says it is of. A sparse tensor is a tensor.
NodeAttribute::Kind getDeclaredKind(const ::onnx::AttributeProto &proto);

/// The kinds of which `proto` has a value.
llvm::SmallVector<NodeAttribute::Kind>
getHeldKinds(const ::onnx::AttributeProto &proto);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_ATTRIBUTEKINDS_H
