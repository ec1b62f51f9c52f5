//===- Model.cpp - An ONNX model in memory --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::relay::onnx;

std::string mlir::relay::onnx::getDataTypeName(DataType type) {
  static const char *const names[] = {
      "UNDEFINED",      "FLOAT",        "UINT8",          "INT8",
      "UINT16",         "INT16",        "INT32",          "INT64",
      "STRING",         "BOOL",         "FLOAT16",        "DOUBLE",
      "UINT32",         "UINT64",       "COMPLEX64",      "COMPLEX128",
      "BFLOAT16",       "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2",
      "FLOAT8E5M2FNUZ", "UINT4",        "INT4",           "FLOAT4E2M1",
      "FLOAT8E8M0",     "UINT2",        "INT2",           "FLOAT6E2M3",
      "FLOAT6E3M2"};
  auto index = static_cast<uint32_t>(type);
  if (index < std::size(names))
    return names[index];
  return "type " + llvm::itostr(static_cast<int32_t>(type));
}

std::optional<unsigned> mlir::relay::onnx::getElementSize(DataType type) {
  switch (type) {
  case DataType::Bool:
  case DataType::Int8:
  case DataType::UInt8:
  case DataType::Float8E4M3FN:
  case DataType::Float8E4M3FNUZ:
  case DataType::Float8E5M2:
  case DataType::Float8E5M2FNUZ:
    return 1;
  case DataType::Int16:
  case DataType::UInt16:
  case DataType::Float16:
  case DataType::BFloat16:
    return 2;
  case DataType::Float:
  case DataType::Int32:
  case DataType::UInt32:
    return 4;
  case DataType::Double:
  case DataType::Int64:
  case DataType::UInt64:
    return 8;
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> Tensor::getNumElements() const {
  int64_t count = 1;
  bool isEmpty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    if (dim == 0)
      isEmpty = true;
    else if (llvm::MulOverflow(count, dim, count))
      return std::nullopt;
  }
  return isEmpty ? 0 : count;
}
