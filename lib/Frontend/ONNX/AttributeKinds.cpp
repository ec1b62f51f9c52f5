//===- AttributeKinds.cpp - What attributes of nodes hold -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttributeKinds.h"

using Kind = mlir::relay::onnx::NodeAttribute::Kind;

Kind mlir::relay::onnx::getDeclaredKind(const ::onnx::AttributeProto &proto) {
  using Proto = ::onnx::AttributeProto;
  switch (proto.type()) {
  case Proto::UNDEFINED:
    return Kind::None;
  case Proto::FLOAT:
    return Kind::Float;
  case Proto::INT:
    return Kind::Int;
  case Proto::STRING:
    return Kind::String;
  case Proto::SPARSE_TENSOR:
  case Proto::TENSOR:
    return Kind::Tensor;
  case Proto::GRAPH:
    return Kind::Graph;
  case Proto::FLOATS:
    return Kind::Floats;
  case Proto::INTS:
    return Kind::Ints;
  case Proto::STRINGS:
    return Kind::Strings;
  default:
    return Kind::Other;
  }
}

llvm::SmallVector<Kind>
mlir::relay::onnx::getHeldKinds(const ::onnx::AttributeProto &proto) {
  llvm::SmallVector<Kind> kinds;
  auto add = [&](bool isHeld, Kind kind) {
    if (isHeld)
      kinds.push_back(kind);
  };
  add(proto.has_f(), Kind::Float);
  add(proto.has_i(), Kind::Int);
  add(proto.has_s(), Kind::String);
  add(proto.has_t() || proto.has_sparse_tensor(), Kind::Tensor);
  add(proto.has_g(), Kind::Graph);
  add(proto.floats_size(), Kind::Floats);
  add(proto.ints_size(), Kind::Ints);
  add(proto.strings_size(), Kind::Strings);
  add(proto.has_tp() || proto.tensors_size() || proto.graphs_size() ||
          proto.sparse_tensors_size() || proto.type_protos_size(),
      Kind::Other);
  return kinds;
}
