//===- Model.cpp - An ONNX model in memory --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

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
  case DataType::Float8E8M0:
  case DataType::Float4E2M1:
  case DataType::Int4:
  case DataType::UInt4:
  case DataType::Int2:
  case DataType::UInt2:
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

unsigned mlir::relay::onnx::getElementsPerByte(DataType type) {
  switch (type) {
  case DataType::Float4E2M1:
  case DataType::Int4:
  case DataType::UInt4:
    return 2;
  case DataType::Int2:
  case DataType::UInt2:
    return 4;
  default:
    return 1;
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

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

NodeAttribute NodeAttribute::get(llvm::StringRef name, int64_t value) {
  NodeAttribute attribute;
  attribute.name = name.str();
  attribute.kind = Kind::Int;
  attribute.i = value;
  return attribute;
}

NodeAttribute NodeAttribute::get(llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> values) {
  NodeAttribute attribute;
  attribute.name = name.str();
  attribute.kind = Kind::Ints;
  attribute.ints = values.vec();
  return attribute;
}

llvm::StringRef mlir::relay::onnx::describeKind(NodeAttribute::Kind kind) {
  using Kind = NodeAttribute::Kind;
  switch (kind) {
  case Kind::None:
    return "an empty list";
  case Kind::Float:
    return "a float";
  case Kind::Int:
    return "an integer";
  case Kind::String:
    return "a string";
  case Kind::Tensor:
    return "a tensor";
  case Kind::Graph:
    return "a graph";
  case Kind::Floats:
    return "a list of floats";
  case Kind::Ints:
    return "a list of integers";
  case Kind::Strings:
    return "a list of strings";
  case Kind::Other:
    return "a value of another kind";
  }
  llvm_unreachable("unknown kind of attribute");
}

llvm::StringRef mlir::relay::onnx::describeKind(ValueInfo::Kind kind) {
  switch (kind) {
  case ValueInfo::Kind::Other:
    return "a value of another kind";
  case ValueInfo::Kind::Tensor:
    return "a tensor";
  case ValueInfo::Kind::Sequence:
    return "a sequence";
  case ValueInfo::Kind::Optional:
    return "an optional value";
  }
  llvm_unreachable("unknown kind of value");
}

std::string mlir::relay::onnx::describeNode(const Node &node,
                                            std::optional<int64_t> opset) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!node.name.empty())
    os << "node \"" << node.name << "\"";
  else if (!node.outputs.empty())
    os << "node that computes \"" << node.outputs.front() << "\"";
  else
    os << "node without a name";
  os << " (";
  if (!node.domain.empty())
    os << node.domain << '.';
  os << node.opType;
  if (opset)
    os << ", opset " << *opset;
  os << ')';
  return text;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// One key for what tells functions apart. Lengths, since names may have any
/// character.
static std::string getFunctionKey(const std::string &domain,
                                  const std::string &name,
                                  const std::string &overload) {
  std::string key = llvm::utostr(domain.size()) + ":";
  key += llvm::utostr(name.size()) + ":";
  return key + domain + name + overload;
}

const Function *Model::findFunction(const Node &node) const {
  if (functions.empty())
    return nullptr;
  return functionTable.lookup(
      getFunctionKey(node.domain, node.opType, node.overload));
}

bool Model::addFunction(const Function &function) {
  return functionTable
      .try_emplace(
          getFunctionKey(function.domain, function.name, function.overload),
          &function)
      .second;
}
